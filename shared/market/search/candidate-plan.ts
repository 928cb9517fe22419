import { businessKinds } from './business/business-kinds.ts';
import { kinOf, type LikelyKind } from './business/likely-kinds.ts';
import { boundsPrice, type CandidateFilter, isFiltered } from './candidate-filter.ts';
import {
  consonantSkeleton,
  deletionVariants,
  isLatin,
  isUnspaced,
} from './language/text-analysis.ts';
import { cellCount, nearestCells, signatureOf } from './meaning/cells.ts';
import type { ParsedQuery, QueryTerm } from './parse-query.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';
import {
  coreTerm,
  deletionTerm,
  labelTerm,
  ngramTerm,
  relatedTerm,
  skeletonTerm,
  TIERS,
  tagTerm,
  tldTerm,
} from './search-document.ts';
import type { TermStatistics } from './term-statistics.ts';

/** One look into the index: names that have a term of every group, at most `limit` of them. */
interface IndexProbe {
  groups: readonly (readonly string[])[];
  limit: number;
}

/** What to look for, from the surest to the widest; the search ends when it has enough. */
export interface CandidatePlan {
  labels: readonly string[];
  prefix: string | null;
  spellings: readonly string[];
  steps: readonly IndexProbe[];
  enough: number;
  /**
   * Cells of the space of meanings, nearest first, of which the names nearest to a signature are taken; null without a
   * meaning. At most so many names are compared of a cell, the best, and of all cells.
   */
  nearest: {
    cells: readonly number[];
    signature: string;
    limit: number;
    ofCell: number;
    ofCells: number;
  } | null;
}

/**
 * How many index entries a group may read, and all steps together: what bounds the cost of a search. A common
 * term is taken from a higher tier, where only the better names stand, until the group fits.
 */
const BUDGETS = { combined: 1_500, alone: 1_000, query: 8_000 } as const;
/** A term that occurs less often is not in the statistics of Postgres; it counts as this. */
const RARE = 50;
const LIMITS = {
  literal: 50,
  tight: 80,
  broad: 80,
  somePair: 40,
  single: 30,
  onlyWord: 100,
  grams: 60,
  skeleton: 20,
  slips: 40,
  nearest: 30,
  kind: 60,
  kin: 60,
} as const;
const ENOUGH = 120;
/** Some thousands of names are compared, of no fewer cells than these, so that near ones are not missed. */
const CELLS = { names: 2_000, least: 6, ofCell: 500 } as const;
/** Words of the query that are combined with one another: the weightiest, and of those the rarest. */
const COMBINED = 5;
/** A filter leaves little of what was found, so more is read for it; and more is taken for one by price. */
const FILTERED = { budget: 4, limit: 8 } as const;
/** How many likely kinds of business are looked for. */
const KINDS = 3;
/** What is looked for of each of their kin. */
const KIN_TERMS = 6;
const SHORTEST_PREFIX = 3;
const SHORTEST_SKELETON = 6;

/** Plans the search for a query that has words, for names that have to pass a filter or not. */
export function planCandidates(
  query: ParsedQuery,
  statistics: TermStatistics,
  filter: CandidateFilter,
): CandidatePlan {
  const within = filter.tlds ? [filter.tlds.map(tldTerm)] : [];
  const factor = boundsPrice(filter) ? FILTERED.limit : 1;
  const share = isFiltered(filter) ? FILTERED.budget : 1;
  const possible = stepsOf(query, statistics, share).filter(
    ({ groups }) => groups.length > 0 && groups.every((group) => group.length > 0),
  );
  const steps = withinQueryBudget(possible, statistics, share).map(({ groups, limit }) => ({
    groups: [...groups.slice(0, 3 - within.length), ...within],
    limit: limit * factor,
  }));
  const [label = ''] = query.labels;
  return {
    labels: query.labels,
    prefix: label.length >= SHORTEST_PREFIX || isUnspaced(label) ? label : null,
    spellings: query.words.some(({ unknown }) => unknown) ? spellingsOf(query) : [],
    steps,
    enough: ENOUGH * factor,
    nearest: query.meaning && {
      cells: nearestCells(query.meaning, cellsFor(statistics.size, share)),
      signature: signatureOf(query.meaning),
      limit: LIMITS.nearest * (share === 1 ? 1 : FILTERED.limit),
      ofCell: share * CELLS.ofCell,
      ofCells: share * CELLS.names,
    },
  };
}

/** How many cells are read: enough for some thousands of names, and never so few that near ones are missed. */
function cellsFor(size: number, share: number): number {
  const perCell = Math.max(1, size) / cellCount();
  return Math.min(cellCount(), Math.max(CELLS.least, Math.ceil((share * CELLS.names) / perCell)));
}

/** Postgres sees no trigrams in other scripts than Latin, and would look at every name. */
const HAS_TRIGRAM = /[a-z0-9]{3}/;

/** What made-up names may look like. */
function spellingsOf(query: ParsedQuery): string[] {
  const unknown = query.words.filter((word) => word.unknown && word.word.length > 3);
  const spellings = new Set([query.labels[0] ?? '', ...unknown.map(({ word }) => word)]);
  return [...spellings].filter((text) => HAS_TRIGRAM.test(text)).slice(0, 3);
}

function stepsOf(query: ParsedQuery, statistics: TermStatistics, share: number): IndexProbe[] {
  const count = ({ stem }: QueryTerm) =>
    statistics.countOf(labelTerm(stem)) + statistics.countOf(tagTerm(stem));
  const words = [...query.words]
    .sort((a, b) => b.weight - a.weight || count(a) - count(b))
    .slice(0, COMBINED);
  const within = (terms: readonly string[], budget: number) =>
    withinBudget(terms, share * budget, statistics);
  const budget = words.length === 1 ? BUDGETS.alone : BUDGETS.combined;
  const literal = words.map((word) => within(literalTerms(word), budget));
  const tight = words.map((word) => within(tightTerms(word), budget));
  const broad = words.map((word) => within(broadTerms(word), budget));
  const pairs = pairsOf(words.length);
  const both = (groups: string[][], [a, b]: readonly [number, number]) => [
    groups[a] ?? [],
    groups[b] ?? [],
  ];
  const steps: IndexProbe[] = [];
  const add = (groups: readonly (readonly string[])[], limit: number) =>
    steps.push({ groups, limit });

  for (const { parts } of query.words) {
    const groups = parts.map((part) => [labelTerm(part)]);
    add(groups, LIMITS.literal);
  }
  const [label = ''] = query.labels;
  if (isLatin(label) && label.length >= SHORTEST_SKELETON) {
    add([[skeletonTerm(consonantSkeleton(label))]], LIMITS.skeleton);
  }
  // Made-up names are asked as one word, or as one with its suffix.
  if (label === query.words[0]?.word || query.words.some(({ unknown }) => unknown)) {
    add([deletionVariants(label).map(deletionTerm)], LIMITS.slips);
  }
  for (const { grams } of query.words) {
    const groups = grams.slice(0, 3).map((gram) => [ngramTerm(gram)]);
    add(groups, LIMITS.grams);
  }
  const kinds = query.kinds.slice(0, KINDS).map((kind) => within(kindTerms(kind), BUDGETS.alone));
  const kin = within(
    [...new Set(kinOf(query.kinds.slice(0, KINDS)).flatMap((kind) => kindTerms(kind, KIN_TERMS)))],
    BUDGETS.alone,
  );
  if (words.length > 2) add(tight.slice(0, 3), LIMITS.tight);
  for (const pair of pairs) add(both(literal, pair), LIMITS.literal);
  if (words.length === 1) {
    add([literal[0] ?? []], LIMITS.onlyWord);
    for (const kind of kinds) add([kind], LIMITS.kind);
    add([tight[0] ?? []], LIMITS.onlyWord);
    add([broad[0] ?? []], LIMITS.broad);
    add([kin], LIMITS.kin);
    return steps;
  }
  for (const kind of kinds) add([kind], LIMITS.kind);
  for (const pair of pairs.slice(0, 3)) {
    add(both(tight, pair), words.length === 2 ? LIMITS.tight : LIMITS.somePair);
  }
  add(both(broad, [0, 1]), LIMITS.broad);
  for (const word of words) {
    add([within(tightTerms(word), BUDGETS.alone)], LIMITS.single);
  }
  add([kin], LIMITS.kin);
  return steps;
}

/** Every two of the first `count` words, those of the weightier ones first. */
function pairsOf(count: number): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (let right = 1; right < count; right += 1) {
    for (let left = 0; left < right; left += 1) pairs.push([left, right]);
  }
  return pairs;
}

/** The word itself in the label, however it is written. */
function literalTerms({ stem, joined, repairs, alternatives }: QueryTerm): string[] {
  const meant = [...repairs, ...alternatives].map((other) => other.stem);
  return [stem, ...joined, ...meant].map(labelTerm);
}

/** Also in what the owner says, and by what means the same. */
function tightTerms(asked: QueryTerm): string[] {
  const { stem, forms, repairs, alternatives, groups } = asked;
  const meant = [...repairs.slice(0, 1), ...alternatives].map((other) => other.stem);
  return [
    ...literalTerms(asked),
    ...[stem, ...meant].map(tagTerm),
    ...[...groups]
      .filter(([, membership]) => membership === 'core')
      .map(([group]) => coreTerm(group)),
    ...forms.map(labelTerm),
  ];
}

/** The words of names of such businesses, in labels and keywords. */
function kindTerms({ kind }: LikelyKind, most = Number.POSITIVE_INFINITY): string[] {
  const terms = [...businessKinds().termsOf(kind)]
    .filter(([term, worth]) => worth >= RANKING_WEIGHTS.kinds.sought && !term.includes('_'))
    .slice(0, most)
    .map(([term]) => term);
  return [...terms.map(labelTerm), ...terms.map(tagTerm)];
}

/** Also by what is spoken of with it. */
function broadTerms(asked: QueryTerm): string[] {
  const groups = [...asked.groups];
  return [
    ...tightTerms(asked),
    ...groups
      .filter(([, membership]) => membership === 'related')
      .map(([group]) => coreTerm(group)),
    ...groups
      .filter(([, membership]) => membership === 'core')
      .map(([group]) => relatedTerm(group)),
  ];
}

/**
 * Takes each term from the lowest tier with which the group stays in its budget; terms come first that say
 * more. What is not counted in a higher tier is rare there, though perhaps not in the lowest.
 */
function withinBudget(
  terms: readonly string[],
  budget: number,
  { countOf }: TermStatistics,
): string[] {
  const fitted: string[] = [];
  let left = budget;
  for (const term of new Set(terms)) {
    if (left < RARE) break;
    const tier = TIERS.find((each) => Math.max(countOf(term + each), RARE) <= left);
    if (tier === undefined) continue;
    fitted.push(term + tier);
    left -= Math.max(countOf(term + tier), RARE);
  }
  return fitted;
}

/**
 * The distinct steps that together stay within the budget of a query; an expensive one is skipped
 * in favor of cheaper ones after it.
 */
function withinQueryBudget(
  steps: readonly IndexProbe[],
  { countOf }: TermStatistics,
  share: number,
): IndexProbe[] {
  let left = share * BUDGETS.query;
  const taken = new Set<string>();
  return steps.filter(({ groups }) => {
    const key = groups.map((group) => group.join(' ')).join('&');
    if (taken.has(key)) return false;
    taken.add(key);
    const cost = groups.flat().reduce((sum, term) => sum + Math.max(countOf(term), RARE), 0);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}
