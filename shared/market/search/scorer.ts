import type { Nearness, QueryPlace } from './embeddings/embeddings.ts';
import { kindAgreement } from './kinds/kinds-of-name.ts';
import type { LikelyKind } from './kinds/likely-kinds.ts';
import { kindMatcher } from './kinds/match-kinds.ts';
import { editDistance } from './language/spelling.ts';
import { isLatin } from './language/text-analysis.ts';
import { type Feature, isAnswer, LEARNED, likelihoodOf } from './learned-weights.ts';
import {
  type CandidateTerms,
  candidateTerms,
  isTelling,
  matchTerm,
  similarityTo,
  type TermMatch,
} from './match-term.ts';
import type { ParsedQuery, QueryTerm } from './parse-query.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';
import type { Candidate } from './search.store.ts';

/** Spelled as in the API. */
export const EXACTNESSES = ['domain', 'label', 'slip'] as const;
type Exactness = (typeof EXACTNESSES)[number];

/** Why a name has its score: its features, each 0 to 1, and how each word matched. */
export interface ScoreExplanation {
  features: Readonly<Record<Feature, number>>;
  /** What matches the query exactly: the domain, its label, or the label except for a typo. */
  exact: Exactness | null;
  met: readonly TermMatch[];
}

/** A candidate and its score, 0 to 1. */
export interface Ranked {
  candidate: Candidate;
  score: number;
  reason: ScoreExplanation;
}

/** A parsed topic: its words, its likely kinds of business, and its place among the vectors. */
export interface ReadTopic {
  query: ParsedQuery;
  kinds: readonly LikelyKind[];
  place: QueryPlace | null;
  /** Returns how near a name is by its vector's bytes. */
  nearness: ((name: Buffer) => Nearness) | null;
  /** How little it resembles anything a name could be for, 0 to 1; 0 without a vector. */
  offTopic: number;
}

const FAR: Nearness = { meaning: 0, kindMeaning: 0 };
/** The minimum value of a literal match, as opposed to a related word. */
const LITERAL = 0.8;
/** The minimum weight of a significant word. */
const TELLING = 0.45;
/** The number of significant words in a long query. */
const LONG = 8;
const SHORTEST_SLIP = 5;
/** Two typos are allowed in names of at least this length. */
const LONG_NAME = 10;
/** The score of a label that equals the query, before quality, or equals it except for a typo. */
const EXACT_LABEL = 0.94;

/** Scores all candidates of a topic together; a word that no candidate matches is discounted. */
export function scoreCandidates(
  { query, kinds, nearness, offTopic }: ReadTopic,
  candidates: readonly Candidate[],
): Ranked[] {
  const closeness = query.words.map(similarityTo);
  const ofKind = kindMatcher(kinds);
  const agreementOfKinds = kindAgreement(kinds);
  const names = candidates.map((candidate) => {
    const name = candidateTerms(candidate);
    const met = query.words.map(({ word }, at) =>
      matchTerm(word, closeness[at] as (typeof closeness)[number], name),
    );
    return { candidate, name, met, ofKind: ofKind?.(name) ?? [] };
  });
  const { weights, matchedShare } = weighWords(query, names);
  const unknownShare = unknownShareOf(query);
  const length = Math.min(query.words.length, LONG) / LONG;
  const coverage = coverageBy(weights);

  return names.map(({ candidate, name, met, ofKind: worths }) => {
    const near = (candidate.vector && nearness?.(candidate.vector)) ?? FAR;
    const { ownKind, kindShare } = agreementOfKinds(name.kinds);
    const best = met.map(({ worth }, at) => Math.max(worth, worths[at] ?? 0));
    const asked = best.filter((_, at) => (weights[at] ?? 0) >= TELLING);
    const features: Record<Feature, number> = {
      coverage: coverage((at) => best[at] ?? 0),
      suffix: coverage((at) => (met[at]?.where === 'tld' ? met[at].worth : 0)),
      loose: coverage((at) => ((met[at]?.worth ?? 0) < LITERAL ? (met[at]?.worth ?? 0) : 0)),
      precision: labelCoverage(name),
      agreement: agreementOf(name, met),
      meaning: near.meaning,
      kindMeaning: near.kindMeaning,
      kind: Math.max(0, ...worths),
      ownKind,
      kindShare,
      foreign: query.latin === isLatin(candidate.label) ? 0 : 1,
      quality: candidate.quality / 100,
      weakest: asked.length === 0 ? 0 : Math.min(...asked),
      label: coverage((at) => (met[at]?.where === 'label' ? met[at].worth : 0)),
      head: name.explained.at(-1) ?? 0,
      words: Math.min(name.labelWords.length, 6) / 6,
      narrow: isNarrower(name) ? 1 : 0,
      matchedShare,
      unknownShare,
      length,
      offTopic,
      order: inOrder(query, candidate.label) ? 1 : 0,
    };
    const own = query.latin
      ? 0
      : coverage((at) => {
          const [word, match] = [query.words[at], met[at]];
          return word && match && isOwnWord(word, match) ? match.worth : 0;
        });
    const exact = exactnessOf(query, candidate);
    return {
      candidate,
      score: Math.round(scoreOf(features, exact, own) * 1_000) / 1_000,
      reason: {
        features,
        exact,
        met: met.map((match, at) => ({ ...match, worth: best[at] ?? 0 })),
      },
    };
  });
}

/** The minimum match at which the query explains a word of a label. */
const EXPLAINED = 0.35;

/** Returns whether a label names an audience or place that the query does not: "gents golf", "denver mortgage". */
function isNarrower({ narrowing, explained }: CandidateTerms): boolean {
  return narrowing.some((narrows, at) => narrows && (explained[at] ?? 0) < EXPLAINED);
}

/** Returns the score of a name from its features, 0 to 1. */
function scoreOf(
  features: Readonly<Record<Feature, number>>,
  exact: ScoreExplanation['exact'],
  own: number,
): number {
  if (exact === 'domain') return 1;
  if (exact === 'label') return EXACT_LABEL + (0.99 - EXACT_LABEL) * features.quality;
  // The square root spreads the middle: names with one word in common and with none.
  const score = exact === 'slip' ? EXACT_LABEL : EXACT_LABEL * Math.sqrt(likelihoodOf(features));
  // A query in another script is answered by its own words before their translations.
  return Math.max(score, Math.min(EXACT_LABEL, own));
}

/** Returns whether a label has a word as it was typed or in Latin letters, not its translation. */
function isOwnWord(
  { word, likeness, originals, latin }: QueryTerm,
  { by, where }: TermMatch,
): boolean {
  const own = [...(likeness === 1 ? [word] : []), ...originals, ...latin];
  return where === 'label' && own.some((each) => isTelling(each) && by?.includes(each));
}

/**
 * Returns each word's weight. A word that no name matches counts nothing, so it hides no answers to the others.
 * `matchedShare` is the remaining share of the query.
 */
function weighWords(
  { words }: ParsedQuery,
  names: readonly { met: readonly TermMatch[]; ofKind: readonly number[] }[],
): { weights: readonly number[]; matchedShare: number } {
  const asked = words.map(({ weight }) => weight);
  const weights = asked.map((weight, at) =>
    names.some(({ met, ofKind }) => {
      const worth = Math.max(met[at]?.worth ?? 0, ofKind[at] ?? 0);
      return worth >= RANKING_WEIGHTS.unmatched;
    })
      ? weight
      : 0,
  );
  const all = sumOf(asked);
  return { weights, matchedShare: all === 0 ? 0 : sumOf(weights) / all };
}

/**
 * Returns a function for the matched share of the query. Long queries ask for more than a name can hold: words beyond
 * the first two count for less.
 */
function coverageBy(weights: readonly number[]): (worthOf: (at: number) => number) => number {
  const { words, further } = RANKING_WEIGHTS.room;
  const total = sumOf(weights);
  const room = Math.min(total, words) + further * Math.max(0, total - words);
  return (worthOf) => {
    let sum = 0;
    for (let at = 0; at < weights.length; at += 1) sum += (weights[at] as number) * worthOf(at);
    return room === 0 ? 0 : Math.min(1, sum / room);
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function exactnessOf(query: ParsedQuery, candidate: Candidate): ScoreExplanation['exact'] {
  const { domain, labels } = query;
  if (domain && candidate.domainUnicode === `${domain.label}.${domain.tld}`) return 'domain';
  if (labels.includes(candidate.label)) return 'label';
  return isSlipOf(query, candidate.label) ? 'slip' : null;
}

/** Returns whether a label equals the query except for a typo: an unknown word means that very name. */
function isSlipOf({ words, labels: [typed = ''] }: ParsedQuery, label: string): boolean {
  if (typed.length < SHORTEST_SLIP || !words.some(({ unknown }) => unknown)) return false;
  const most = typed.length < LONG_NAME ? 1 : 2;
  return editDistance(typed, label, most) <= most;
}

/** Returns whether the owner's texts match the query, too; half if there are none. */
function agreementOf({ tags, about }: CandidateTerms, met: readonly TermMatch[]): number {
  if (tags.length + about.length === 0) return 0.5;
  return met.some(({ owner }) => owner) ? 1 : 0;
}

/** Returns the share of the label's letters that match the query. */
function labelCoverage({ labelWords, explained }: CandidateTerms): number {
  let letters = 0;
  let sum = 0;
  for (let at = 0; at < labelWords.length; at += 1) {
    const { length } = labelWords[at] as string;
    letters += length;
    sum += length * (explained[at] ?? 0);
  }
  return letters === 0 ? 0 : sum / letters;
}

/** Returns whether two neighboring words of the query are adjacent in the label. */
function inOrder({ words }: ParsedQuery, label: string): boolean {
  return words.some(({ word }, at) => {
    const next = words[at + 1];
    return next !== undefined && label.includes(word + next.word);
  });
}

/** Returns the share of the query that is neither a word nor similar to one. */
function unknownShareOf({ words }: ParsedQuery): number {
  return (
    words.filter(({ unknown, originals }) => unknown && originals.length === 0).length /
    words.length
  );
}

/** Returns whether a name has any evidence: a matching word, a likely kind of business, or meaning. */
function hasEvidence({ reason: { features } }: Ranked): boolean {
  const { coverage, kind, kindMeaning } = features;
  return coverage > 0 || kind > 0 || kindMeaning > 0;
}

/**
 * Ranks candidates, best first. Returns none unless the best is likely a good answer, and otherwise those that may be
 * one.
 */
export function rank(topic: ReadTopic, candidates: readonly Candidate[]): Ranked[] {
  const ranked = scoreCandidates(topic, candidates).sort(
    (a, b) => b.score - a.score || (a.candidate.domain < b.candidate.domain ? -1 : 1),
  );
  const [first] = ranked;
  if (!first) return [];
  // An exact name counts, however its words were understood.
  const isName = first.score >= EXACT_LABEL;
  const { features } = first.reason;
  // Another model may know words without a dictionary here.
  const unknownShare = topic.place?.vector === null ? 0 : features.unknownShare;
  if (!isName && !(hasEvidence(first) && isAnswer({ ...features, unknownShare }))) return [];
  return ranked.filter(({ score }) => score >= LEARNED.fills);
}
