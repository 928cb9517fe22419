import { boundsPrice, type CandidateFilter, isFiltered } from './candidate-filter.ts';
import { businessKinds } from './kinds/kinds.ts';
import type { LikelyKind } from './kinds/likely-kinds.ts';
import { stem as stemOf } from './language/stem.ts';
import { isUnspaced } from './language/text-analysis.ts';
import type { Membership } from './language/thesaurus.ts';
import type { ParsedQuery, QueryTerm } from './parse-query.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';
import type { ReadTopic } from './scorer.ts';
import {
  coreTerm,
  labelTerm,
  ngramTerm,
  relatedTerm,
  TIERS,
  tagTerm,
  tldTerm,
} from './search-document.ts';
import type { TermStatistics } from './term-statistics.ts';

/** One index lookup: at most `limit` names that have a term of every group. */
interface IndexProbe {
  groups: readonly (readonly string[])[];
  limit: number;
}

/** The lookups for a query, from the most certain to the widest. The search stops when it has enough. */
export interface CandidatePlan {
  labels: readonly string[];
  prefix: string | null;
  spellings: readonly string[];
  steps: readonly IndexProbe[];
  enough: number;
  /** The number of names to take that are nearest in meaning. */
  nearest: number;
}

/**
 * The number of index entries a group may read, and all steps together, which limits the cost of a search. A common
 * term is taken from a higher tier, which holds only better names, until the group fits.
 */
const BUDGETS = { group: 800, query: 4_000 } as const;
/** The assumed count of a term too rare for Postgres statistics. */
const RARE = 50;
const LIMITS = {
  literal: 40,
  pair: 40,
  single: 40,
  onlyWord: 60,
  grams: 60,
  nearest: 30,
  kinds: 60,
} as const;
const ENOUGH = 70;
/** The number of query words to combine: those with the highest weight, the rarest first. */
const COMBINED = 4;
/** Filters drop most matches, so a filtered search reads more, and a price filter also takes more. */
const FILTERED = { budget: 4, limit: 8 } as const;
/** The number of likely kinds of business to search for. */
const KINDS = 3;
const SHORTEST_PREFIX = 3;

/** Plans the search for a query with words, with or without a filter. */
export function planCandidates(
  { query, kinds }: Pick<ReadTopic, 'query' | 'kinds'>,
  statistics: TermStatistics,
  filter: CandidateFilter,
): CandidatePlan {
  const suffixes = filter.tlds ? [filter.tlds.map(tldTerm)] : [];
  const limitFactor = boundsPrice(filter) ? FILTERED.limit : 1;
  const budgetFactor = isFiltered(filter) ? FILTERED.budget : 1;
  const possible = stepsOf(query, kinds, statistics, budgetFactor).filter(
    ({ groups }) => groups.length > 0 && groups.every((group) => group.length > 0),
  );
  const steps = withinQueryBudget(possible, statistics, budgetFactor).map(({ groups, limit }) => ({
    groups: [...groups.slice(0, 3 - suffixes.length), ...suffixes],
    limit: limit * limitFactor,
  }));
  const [label = ''] = query.labels;
  return {
    labels: query.labels,
    prefix: label.length >= SHORTEST_PREFIX || isUnspaced(label) ? label : null,
    spellings: query.words.some(({ unknown }) => unknown) ? spellingsOf(query) : [],
    steps,
    enough: ENOUGH * limitFactor,
    nearest: LIMITS.nearest * (isFiltered(filter) ? FILTERED.limit : 1),
  };
}

/** Postgres finds no trigrams in non-Latin scripts and would scan every name. */
const HAS_TRIGRAM = /[a-z0-9]{3}/;

/** Returns possible spellings of made-up names. */
function spellingsOf(query: ParsedQuery): string[] {
  const unknown = query.words.filter((word) => word.unknown && word.word.length > 3);
  const spellings = new Set([query.labels[0] ?? '', ...unknown.map(({ word }) => word)]);
  return [...spellings].filter((text) => HAS_TRIGRAM.test(text)).slice(0, 3);
}

/** Returns the lookups, from the most certain to the widest. */
function stepsOf(
  query: ParsedQuery,
  likely: readonly LikelyKind[],
  statistics: TermStatistics,
  budgetFactor: number,
): IndexProbe[] {
  const count = ({ stem }: QueryTerm) =>
    statistics.countOf(labelTerm(stem)) + statistics.countOf(tagTerm(stem));
  const words = [...query.words]
    .sort((a, b) => b.weight - a.weight || count(a) - count(b))
    .slice(0, COMBINED);
  const affordable = (terms: readonly string[]) =>
    withinBudget(terms, budgetFactor * BUDGETS.group, statistics);
  const literal = words.map((word) => affordable(literalTerms(word)));
  const wide = words.map((word) => affordable(wideTerms(word)));
  const kinds = affordable(likely.slice(0, KINDS).flatMap(kindTerms));
  return [
    ...query.words.map(({ parts }) =>
      step(LIMITS.literal, ...parts.map((part) => [labelTerm(part)])),
    ),
    ...query.words.map(({ grams }) =>
      step(LIMITS.grams, ...grams.slice(0, 3).map((gram) => [ngramTerm(gram)])),
    ),
    step(
      LIMITS.literal,
      words.flatMap(({ latin }) => latin.map((form) => labelTerm(stemOf(form)))),
    ),
    ...pairsOf(words.length).map(([one, other]) =>
      step(LIMITS.pair, wide[one] ?? [], wide[other] ?? []),
    ),
    ...literal.map((terms) => step(words.length === 1 ? LIMITS.onlyWord : LIMITS.single, terms)),
    step(LIMITS.kinds, kinds),
    ...wide.map((terms) => step(words.length === 1 ? LIMITS.onlyWord : LIMITS.single, terms)),
  ];
}

function step(limit: number, ...groups: readonly (readonly string[])[]): IndexProbe {
  return { groups, limit };
}

/** Returns all pairs of the first `count` words, those with higher weights first. */
function pairsOf(count: number): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (let right = 1; right < count; right += 1) {
    for (let left = 0; left < right; left += 1) pairs.push([left, right]);
  }
  return pairs;
}

/** Terms for the word itself in the label, in any spelling. */
function literalTerms({ stem, joined, repairs, alternatives }: QueryTerm): string[] {
  const meant = [...repairs, ...alternatives].map((other) => other.stem);
  return [stem, ...joined, ...meant].map(labelTerm);
}

/** Adds the owner's texts, synonyms and related words. */
function wideTerms(asked: QueryTerm): string[] {
  const { stem, forms, repairs, alternatives, groups } = asked;
  const meant = [...repairs.slice(0, 1), ...alternatives].map((other) => other.stem);
  const inGroups = (wanted: Membership, term: (group: string) => string) =>
    [...groups].filter(([, membership]) => membership === wanted).map(([group]) => term(group));
  return [
    ...literalTerms(asked),
    ...[stem, ...meant].map(tagTerm),
    ...forms.map(labelTerm),
    ...inGroups('core', coreTerm),
    ...inGroups('related', coreTerm),
    ...inGroups('core', relatedTerm),
  ];
}

/** Terms for words in the labels and keywords of such businesses. */
function kindTerms({ kind }: LikelyKind): string[] {
  const terms = [...businessKinds().termsOf(kind)]
    .filter(([term, worth]) => worth >= RANKING_WEIGHTS.kinds.sought && !term.includes('_'))
    .map(([term]) => term);
  return [...terms.map(labelTerm), ...terms.map(tagTerm)];
}

/**
 * Takes each term from the lowest tier that keeps the group within its budget. The most significant terms come first. A
 * term without a count in a higher tier is rare there, though perhaps not in the lowest.
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
    if (tier === undefined) {
      // A word this common is searched only among the best names, where the step's limit bounds the reads.
      if (fitted.length === 0) fitted.push(term + TIERS.at(-1));
      continue;
    }
    fitted.push(term + tier);
    left -= Math.max(countOf(term + tier), RARE);
  }
  return fitted;
}

/**
 * Returns the distinct steps that together stay within a query's budget. Skips an expensive step in favor of cheaper
 * later ones.
 */
function withinQueryBudget(
  steps: readonly IndexProbe[],
  { countOf }: TermStatistics,
  budgetFactor: number,
): IndexProbe[] {
  let left = budgetFactor * BUDGETS.query;
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
