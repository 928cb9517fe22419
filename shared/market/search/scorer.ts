import type { Nearness, QueryPlace } from './embeddings/embeddings.ts';
import type { LikelyKind } from './kinds/likely-kinds.ts';
import { kindMatcher } from './kinds/match-kinds.ts';
import { editDistance } from './language/spelling.ts';
import { isLatin, isPlain, similarity } from './language/text-analysis.ts';
import { type Feature, isAnswer, LEARNED, likelihoodOf } from './learned-weights.ts';
import {
  type CandidateTerms,
  candidateTerms,
  matchTerm,
  similarityTo,
  type TermMatch,
} from './match-term.ts';
import { memoize } from './memoize.ts';
import type { ParsedQuery, QueryTerm } from './parse-query.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';
import type { Candidate } from './search.store.ts';
import { offTopic } from './topic-gate.ts';

/** In the API's words. */
export const EXACTNESSES = ['domain', 'label', 'slip'] as const;
type Exactness = (typeof EXACTNESSES)[number];

/** Why a name has its score: the features, each 0 to 1, and how each word was met. */
export interface ScoreExplanation {
  features: Readonly<Record<Feature, number>>;
  /** What the name is of what was typed: the very domain, its label, or the label but for a slip. */
  exact: Exactness | null;
  met: readonly TermMatch[];
}

/** A candidate and how well it answers, 0 to 1. */
export interface Ranked {
  candidate: Candidate;
  score: number;
  reason: ScoreExplanation;
}

/** What a topic is read as: its words, the kinds of business that it is about, and its place among the names. */
export interface ReadTopic {
  query: ParsedQuery;
  kinds: readonly LikelyKind[];
  place: QueryPlace | null;
  /** How near to it a name is by the bytes of its vector. */
  nearness: ((name: Buffer) => Nearness) | null;
}

const FAR: Nearness = { meaning: 0, kindMeaning: 0 };
/** From so much on a word is met by itself, not by what is spoken of with it. */
const LITERAL = 0.8;
/** Words of so much weight tell what is asked. */
const TELLING = 0.45;
/** How many words tell a long query. */
const LONG = 8;
const SHORTEST_ALIKE = 5;
/** From so many letters on two slips are believed. */
const LONG_NAME = 10;
/** What is left of the score of a name that is for others, for another place, or not in the script of the query. */
const PENALTY = 0.8;
/** The score of a label that is the query, before its quality, and of one that is it but for a slip. */
const EXACT_LABEL = 0.94;

/** The features and scores of all that was found for a topic; what words none of them has is told by all together. */
export function scoreCandidates(
  { query, kinds, place, nearness }: ReadTopic,
  candidates: readonly Candidate[],
): Ranked[] {
  const closeness = query.words.map(similarityTo);
  const ofKind = kindMatcher(kinds);
  const names = candidates.map((candidate) => {
    const name = candidateTerms(candidate);
    const met = query.words.map(({ word }, at) =>
      matchTerm(word, closeness[at] as (typeof closeness)[number], name),
    );
    return { candidate, name, met, ofKind: ofKind?.(name) ?? [] };
  });
  const { weights, known } = weighWords(query, names);
  const unknown = unknownShare(query);
  const off = query.asksFact ? 1 : place?.vector ? offTopic(place.vector) : 0;
  const length = Math.min(query.words.length, LONG) / LONG;
  const [label = ''] = query.labels;
  const madeUp = query.words.some((word) => word.unknown || word.repairs.length > 0);
  const inOtherScript = query.words.some(
    ({ word, originals }) => !isLatin(word) || originals.some((original) => !isLatin(original)),
  );
  const coverage = coverageBy(weights);
  const likeness = memoize((other) => likenessOf(label, other));

  return names.map(({ candidate, name, met, ofKind: worths }) => {
    const near = (candidate.vector && nearness?.(candidate.vector)) ?? FAR;
    const alike = madeUp ? likeness(candidate.label) : 0;
    const best = met.map(({ worth }, at) => Math.max(worth, worths[at] ?? 0));
    const asked = best.filter((_, at) => (weights[at] ?? 0) >= TELLING);
    const features: Record<Feature, number> = {
      coverage: coverage((at) => best[at] ?? 0),
      suffix: coverage((at) => (met[at]?.where === 'tld' ? met[at].worth : 0)),
      loose: coverage((at) => ((met[at]?.worth ?? 0) < LITERAL ? (met[at]?.worth ?? 0) : 0)),
      precision: labelCoverage(name),
      order: inOrder(query, candidate.label) ? 1 : 0,
      agreement: agreementOf(name, met),
      meaning: near.meaning,
      kindMeaning: near.kindMeaning,
      kind: Math.max(0, ...worths),
      alike: alike >= RANKING_WEIGHTS.alike ? alike : 0,
      foreign: query.plain && !isPlain(candidate.domainUnicode) ? 1 : 0,
      quality: candidate.quality / 100,
      weakest: asked.length === 0 ? 0 : Math.min(...asked),
      label: coverage((at) => (met[at]?.where === 'label' ? met[at].worth : 0)),
      head: name.explained.at(-1) ?? 0,
      words: Math.min(name.labelWords.length, 6) / 6,
      narrow: isNarrower(name) ? 1 : 0,
      known,
      unknown,
      length,
      offTopic: off,
    };
    const exact = exactnessOf(query, candidate);
    const isPenalized =
      exact === null && (isNarrower(name) || (inOtherScript && isLatin(candidate.label)));
    const score = scoreOf(features, exact) * (isPenalized ? PENALTY : 1);
    for (const [at, match] of met.entries()) match.worth = best[at] ?? 0;
    return {
      candidate,
      score: Math.round(score * 1_000) / 1_000,
      reason: { features, exact, met },
    };
  });
}

/** From so much on the query tells what a word of a label is there for. */
const EXPLAINED = 0.35;

/** Whether a label says for whom or where it is, and nobody asked for that: "gents golf", "denver mortgage". */
function isNarrower({ narrowing, explained }: CandidateTerms): boolean {
  return narrowing.some((narrows, at) => narrows && (explained[at] ?? 0) < EXPLAINED);
}

/** How likely a name of these features is a good answer, 0 to 1. */
function scoreOf(
  features: Readonly<Record<Feature, number>>,
  exact: ScoreExplanation['exact'],
): number {
  if (exact === 'domain') return 1;
  if (exact === 'label') return EXACT_LABEL + (0.99 - EXACT_LABEL) * features.quality;
  // The root spreads what lies between: names of one word in common and of none.
  return exact === 'slip' ? EXACT_LABEL : EXACT_LABEL * Math.sqrt(likelihoodOf(features));
}

/**
 * What each word counts. One that no name has counts nothing, so that it hides no answer to the others; `known` is the
 * share of the query that is left.
 */
function weighWords(
  { words }: ParsedQuery,
  names: readonly { met: readonly TermMatch[]; ofKind: readonly number[] }[],
): { weights: readonly number[]; known: number } {
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
  return { weights, known: all === 0 ? 0 : sumOf(weights) / all };
}

/**
 * How much of the query is met, by what each word is worth. Long queries ask more than a name can hold: beyond two words each
 * counts for half.
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
  if (labels.includes(candidate.label)) return 'label';
  return isSlipOf(query, candidate.label) ? 'slip' : null;
}

/** Whether a label is what was typed but for a slip: of what is no word, the very name was meant. */
function isSlipOf({ words, labels: [typed = ''] }: ParsedQuery, label: string): boolean {
  if (typed.length < SHORTEST_ALIKE || !words.some(({ unknown }) => unknown)) return false;
  const most = typed.length < LONG_NAME ? 1 : 2;
  return editDistance(typed, label, most) <= most;
}

/** Whether what the owner says of the name speaks of what was asked, too; half where nothing is said. */
function agreementOf({ tags, about }: CandidateTerms, met: readonly TermMatch[]): number {
  if (tags.length + about.length === 0) return 0.5;
  return met.some(({ owner }) => owner) ? 1 : 0;
}

/** The share of the label's letters that the query asked for. */
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

/** Whether two neighbouring words of the query stand side by side in the label. */
function inOrder({ words }: ParsedQuery, label: string): boolean {
  return words.some(({ word }, at) => {
    const next = words[at + 1];
    return next !== undefined && label.includes(word + next.word);
  });
}

/** What share of a query is neither a word nor like one. */
function unknownShare({ words }: ParsedQuery): number {
  return (
    words.filter(({ unknown, originals }) => unknown && originals.length === 0).length /
    words.length
  );
}

/** Whether nothing is known of a word: it is none of a language, or of one that has no dictionary here. */
function isUnknownWord({ word, unknown, originals, repairs, likeness }: QueryTerm): boolean {
  const isTranslated = likeness < 1;
  if (repairs.length > 0 || isTranslated) return false;
  const isForeign = !isLatin(word) && originals.length === 0;
  return unknown || isForeign || /^\d+$/.test(word);
}

/** What is no word can only be a name, or a part of one: nothing is near to it in meaning. */
function isLiteralMatch({ reason }: Ranked): boolean {
  return (
    reason.exact !== null ||
    reason.features.alike > 0 ||
    reason.met.some(({ by, where, worth }) => by !== null && where === 'label' && worth >= LITERAL)
  );
}

/** Whether anything speaks for a name: a word that it meets, its likeness to a made-up one, or its meaning. */
function hasEvidence({ reason: { features } }: Ranked): boolean {
  const { coverage, alike, kind, kindMeaning } = features;
  return coverage > 0 || alike > 0 || kind > 0 || kindMeaning > 0;
}

/**
 * Orders candidates by how well they answer, best first. Without one that is likely a good answer there is none; beside
 * one, those are left that may be one.
 */
export function rank(topic: ReadTopic, candidates: readonly Candidate[]): Ranked[] {
  // Another model may know words of languages that have no dictionary here.
  const { place, query } = topic;
  const isSpelled = place?.vector !== null && query.words.every(isUnknownWord);
  const scored = scoreCandidates(topic, candidates);
  const ranked = (isSpelled ? scored.filter(isLiteralMatch) : scored).sort(
    (a, b) => b.score - a.score || (a.candidate.domain < b.candidate.domain ? -1 : 1),
  );
  const [first] = ranked;
  if (!first) return [];
  // The very name counts, whatever its words were read as.
  const isName = first.score >= EXACT_LABEL;
  if (!isName && !(hasEvidence(first) && isAnswer(first.reason.features))) return [];
  return ranked.filter(({ score }) => score >= LEARNED.fills);
}
