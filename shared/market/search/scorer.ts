import { type KindMatcher, kindMatcher } from './business/match-kinds.ts';
import { isLiving, isPlace } from './language/lexicon.ts';
import { editDistance } from './language/spelling.ts';
import { stem } from './language/stem.ts';
import { isPlain, similarity } from './language/text-analysis.ts';
import {
  type CandidateTerms,
  candidateTerms,
  matchTerm,
  similarityTo,
  type TermMatch,
  type TermSimilarity,
} from './match-term.ts';
import { type Meaning, nearnessToName } from './meaning/meaning.ts';
import { memoize } from './memoize.ts';
import type { ParsedQuery } from './parse-query.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';
import type { Candidate } from './search.store.ts';

/** Why a name has its score: the features, each 0 to 1, and how each word was met. */
export interface ScoreExplanation {
  exact: 'domain' | 'label' | null;
  coverage: number;
  precision: number;
  order: number;
  agreement: number;
  /** How near it is in meaning. */
  meaning: number;
  quality: number;
  /** The cosine of the meanings of query and name. */
  nearness: number;
  /** How surely it is of a kind of business that the query is about. */
  kind: number;
  /** How much of what the best names share it has. */
  company: number;
  /** How much it looks like a made-up name that was asked for. */
  alike: number;
  /** 1 for a label in letters that the query does not have. */
  foreign: number;
  /** 1 for a label that names a place which nobody asked for. */
  place: number;
  /** 1 for a label that says for whom it is, and nobody asked for that. */
  audience: number;
  met: readonly TermMatch[];
  score: number;
}

const SHORTEST_ALIKE = 5;

/** The scores of all that was found for `query`; what words none of them has is told by all of them together. */
function scoreAll(
  query: ParsedQuery,
  candidates: readonly Candidate[],
  byModel: ReadonlyMap<number, number>,
): { candidate: Candidate; reason: ScoreExplanation }[] {
  const closeness = query.words.map(similarityTo);
  const terms = candidates.map(candidateTerms);
  const kinds = kindMatcher(query.kinds, terms);
  const names = candidates.map((candidate, at) =>
    matchName(query, closeness, kinds, candidate, terms[at] as CandidateTerms),
  );
  const { weights, confidence } = weighWords(query, names);
  const total = weights.reduce<number>((sum, weight) => sum + weight, 0);
  const { words, further } = RANKING_WEIGHTS.room;
  const room = Math.min(total, words) + further * Math.max(0, total - words);
  const [label = ''] = query.labels;
  const madeUp = query.words.some(({ unknown, repairs }) => unknown || repairs.length > 0);
  const likeness = memoize((other) => likenessOf(label, other));
  const asked = askedStems(query);

  const scored = names.map(({ candidate, name, met, kind, meaning, cosine }) => {
    const { place, audience } = unasked(asked, name);
    const sum = met.reduce((all, { worth }, at) => all + worth * (weights[at] ?? 0), 0);
    const balance = matchedShare(met, weights);
    const byWords = room === 0 ? 0 : Math.min(1, sum / room) * balance;
    let coverage = confidence * (byWords + (1 - byWords) * RANKING_WEIGHTS.meaning.fills * meaning);
    const near = byModel.get(candidate.listingId) ?? 0;
    coverage = Math.max(coverage, near * RANKING_WEIGHTS.meaning.ofModel);
    let precision = labelCoverage(name);
    const alike = madeUp ? likeness(candidate.label) : 0;
    if (alike >= RANKING_WEIGHTS.alike && alike > coverage) {
      coverage = alike;
      precision = alike;
    }
    const reason: ScoreExplanation = {
      exact: null,
      coverage,
      precision,
      order: inOrder(query, candidate.label) ? 1 : 0,
      agreement: agreementOf(name, met),
      meaning: Math.max(meaning, near),
      quality: candidate.quality / 100,
      nearness: Math.max(cosine, near),
      kind,
      company: 0,
      alike,
      foreign: query.plain && !isPlain(candidate.domainUnicode) ? 1 : 0,
      place,
      audience,
      met,
      score: 0,
    };
    reason.score = scoreOf(reason);
    return { candidate, name, reason };
  });
  const company = companyOfBest(scored);
  for (const { candidate, name, reason } of scored) {
    reason.exact = exactnessOf(query, candidate);
    reason.company = company(name);
    reason.score = scoreOf(reason);
  }
  return scored;
}

/** A name with what of the query it meets. */
interface MatchedName {
  candidate: Candidate;
  name: CandidateTerms;
  met: TermMatch[];
  kind: number;
  /** How near it is in meaning, 0 to 1, and the cosine that says so. */
  meaning: number;
  cosine: number;
}

function matchName(
  query: ParsedQuery,
  closeness: readonly TermSimilarity[],
  kinds: KindMatcher | null,
  candidate: Candidate,
  name: CandidateTerms,
): MatchedName {
  const met = query.words.map(({ word }, at) =>
    matchTerm(word, closeness[at] as TermSimilarity, name),
  );
  let kind = 0;
  const worths = kinds?.match(name);
  for (let at = 0; at < met.length; at += 1) {
    const match = met[at] as TermMatch;
    const worth = worths?.[at] ?? 0;
    if (worth > match.worth) match.worth = worth;
    kind = Math.max(kind, worth);
  }
  return { candidate, name, met, kind, ...nearnessOf(query.meaning, name) };
}

function nearnessOf(
  asked: Meaning | null,
  { stems, tags, about }: CandidateTerms,
): Pick<MatchedName, 'meaning' | 'cosine'> {
  if (!asked) return { meaning: 0, cosine: 0 };
  const { from, full } = RANKING_WEIGHTS.meaning;
  const cosine = Math.max(0, nearnessToName(asked, stems, tags, about));
  return { meaning: Math.min(1, Math.max(0, (cosine - from) / (full - from))), cosine };
}

/**
 * What each word counts. One that no name has counts nothing, so that it hides no answer to the others; for that
 * there is less confidence in all answers.
 */
function weighWords(
  query: ParsedQuery,
  names: readonly MatchedName[],
): { weights: readonly number[]; confidence: number } {
  const { least, cost } = RANKING_WEIGHTS.unmatched;
  const asked = query.words.map(({ weight }) => weight);
  const weights = asked.map((weight, at) =>
    names.some(({ met }) => (met[at]?.worth ?? 0) >= least) ? weight : 0,
  );
  const all = asked.reduce<number>((sum, weight) => sum + weight, 0);
  const left = weights.reduce<number>((sum, weight) => sum + weight, 0);
  return { weights, confidence: all === 0 ? 0 : 1 - cost * (1 - left / all) };
}

function scoreOf(reason: ScoreExplanation): number {
  if (reason.exact === 'domain') return 1;
  const { score, exactLabel } = RANKING_WEIGHTS;
  if (reason.exact === 'label') return exactLabel + (0.99 - exactLabel) * reason.quality;
  let sum = 0;
  for (const feature of SCORED) sum += score[feature] * reason[feature];
  return exactLabel * Math.min(1, Math.max(0, sum));
}

const SCORED = Object.keys(RANKING_WEIGHTS.score) as (keyof typeof RANKING_WEIGHTS.score)[];

/** All that a word of a name may be without adding anything to the query. */
function askedStems({ words }: ParsedQuery): ReadonlySet<string> {
  return new Set(
    words.flatMap((word) => [
      word.stem,
      ...word.originals.map(stem),
      ...word.alternatives.map((other) => other.stem),
    ]),
  );
}

/** From so much on the query tells what a word of a label is there for. */
const EXPLAINED = 0.35;

/** What narrows a name down although nobody asked for it: a place, or for whom it is ("gents golf", "golf for kids"). */
function unasked(
  asked: ReadonlySet<string>,
  { labelWords, stems, explained }: CandidateTerms,
): Pick<ScoreExplanation, 'place' | 'audience'> {
  const last = labelWords.length - 1;
  let place = 0;
  let audience = 0;
  for (const [at, word] of labelWords.entries()) {
    if (asked.has(stems[at] ?? '') || (explained[at] ?? 0) >= EXPLAINED) continue;
    if (isPlace(word)) place = 1;
    // Who stands last is who does it: "garden hero".
    const isWhom = (at < last || labelWords[at - 1] === 'for') && isLiving(word);
    if (word === 'for' || isWhom) audience = 1;
  }
  return { place, audience };
}

/**
 * What the best names have in common tells what was meant (pseudo-relevance feedback): of a name, the mean share of
 * them, weighted by score, that have each of its owner's keywords.
 */
function companyOfBest(
  scored: readonly { name: CandidateTerms; reason: ScoreExplanation }[],
): (name: CandidateTerms) => number {
  const { names, unknown } = RANKING_WEIGHTS.company;
  const best = [...scored].sort((a, b) => b.reason.score - a.reason.score).slice(0, names);
  const shares = new Map<string, number>();
  const all = best.reduce((sum, { reason }) => sum + reason.score, 0);
  for (const { name, reason } of best) {
    for (const each of new Set([...name.stems, ...name.tags])) {
      shares.set(each, (shares.get(each) ?? 0) + reason.score / all);
    }
  }
  return ({ tags }) =>
    tags.length === 0
      ? unknown
      : tags.reduce((sum, tag) => sum + (shares.get(tag) ?? 0), 0) / tags.length;
}

/** How much alike two names look: by the slips between them, or in longer ones by the runs of letters they share. */
function likenessOf(label: string, other: string): number {
  const longest = Math.max(label.length, other.length);
  const slips = editDistance(label, other, 2);
  const bySlips = slips > 2 || longest < SHORTEST_ALIKE ? 0 : 1 - slips / longest;
  return Math.max(bySlips, similarity(label, other));
}

function exactnessOf(query: ParsedQuery, candidate: Candidate): ScoreExplanation['exact'] {
  const { domain, labels } = query;
  if (domain && candidate.domainUnicode === `${domain.label}.${domain.tld}`) return 'domain';
  return labels.includes(candidate.label) ? 'label' : null;
}

/** Whether what the owner says of the name speaks of what was asked, too; half where nothing is said. */
function agreementOf({ tags, about }: CandidateTerms, met: readonly TermMatch[]): number {
  if (tags.length + about.length === 0) return 0.5;
  return met.some(({ owner }) => owner) ? 1 : 0;
}

/** 1 when every word is met at least a little, less by the share of those that are not. */
function matchedShare(met: readonly TermMatch[], weights: readonly number[]): number {
  const { share, met: least } = RANKING_WEIGHTS.balance;
  let all = 0;
  let some = 0;
  for (const [at, { worth }] of met.entries()) {
    const weight = weights[at] ?? 0;
    all += weight;
    if (worth >= least) some += weight;
  }
  return all === 0
    ? 0
    : 1 - share + share * Math.min(1, some / Math.min(all, RANKING_WEIGHTS.room.words));
}

/** The share of the label's letters that the query asked for. */
function labelCoverage({ labelWords, explained }: CandidateTerms): number {
  let letters = 0;
  let sum = 0;
  for (const [at, word] of labelWords.entries()) {
    letters += word.length;
    sum += word.length * (explained[at] ?? 0);
  }
  return letters === 0 ? 0 : sum / letters;
}

/** Whether two neighbouring words of the query stand side by side in the label. */
function inOrder(query: ParsedQuery, label: string): boolean {
  return query.words.some(({ word }, at) => {
    const next = query.words[at + 1];
    return next !== undefined && label.includes(word + next.word);
  });
}

/** A candidate and how well it answers, 0 to 1. */
export interface Ranked {
  candidate: Candidate;
  score: number;
  reason: ScoreExplanation;
}

/**
 * Orders candidates by how well they answer, best first, and drops what is not really about the query. A
 * name that several ways of finding brought counts once. `byModel` is how near an embedding model finds a listing, 0
 * to 1, by its id.
 */
export function rerank(
  query: ParsedQuery,
  candidates: readonly Candidate[],
  byModel: ReadonlyMap<number, number> = new Map(),
): Ranked[] {
  const once = new Map(candidates.map((candidate) => [candidate.listingId, candidate]));
  const { threshold } = RANKING_WEIGHTS;
  const ranked: Ranked[] = [];
  const words = query.words.length;
  const least = threshold.coverage + threshold.unknown * unknownShare(query);
  for (const { candidate, reason } of scoreAll(query, [...once.values()], byModel)) {
    const isSaid =
      words < threshold.manyWords || reason.met.some(({ worth }) => worth >= threshold.said);
    const isAbout = isSaid && reason.coverage >= least && reason.score >= threshold.score;
    // The very name counts, whatever its words were read as.
    if (reason.exact === null && !isAbout) continue;
    ranked.push({ candidate, score: Math.round(reason.score * 1_000) / 1_000, reason });
  }
  // Very good answers have all there is of a score; of those, the one that meets more comes first.
  ranked.sort(
    (a, b) =>
      b.score - a.score ||
      b.reason.coverage - a.reason.coverage ||
      (a.candidate.domain < b.candidate.domain ? -1 : 1),
  );
  const [first] = ranked;
  // Whoever asks for a name by itself wants it, or one that has at least its words.
  const cut = first?.reason.exact
    ? first.score * threshold.shareOfExact
    : Math.min(first?.score ?? 0, threshold.bestCounted) * threshold.shareOfBest;
  return ranked.filter(({ score }) => score >= cut);
}

/** What share of a query is neither a word nor like one, beside words that are: of so much of it nothing is known. */
function unknownShare({ words }: ParsedQuery): number {
  const unknown = words.filter((word) => word.unknown).length;
  return unknown === words.length ? 0 : unknown / words.length;
}
