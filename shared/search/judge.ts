import { type Closeness, closenessOf } from './closeness.ts';
import { type Met, meetWord, type Name, nameOf } from './meet-word.ts';
import type { ParsedQuery } from './query.ts';
import type { Candidate } from './search.store.ts';
import { slipsBetween } from './spelling.ts';
import { similarity } from './text.ts';
import { WEIGHTS } from './weights.ts';

/** Why a name has its score: the features, each 0 to 1, and how each word was met. */
export interface Reason {
  exact: 'domain' | 'label' | null;
  coverage: number;
  precision: number;
  order: number;
  agreement: number;
  quality: number;
  met: readonly Met[];
  score: number;
}

export type Judge = (candidate: Candidate) => Reason;

const SHORTEST_ALIKE = 5;

/** A judge of how well names answer `query`. */
export function judgeOf(query: ParsedQuery): Judge {
  const weights = query.words.map(({ role }) => WEIGHTS.word[role]);
  const closeness = query.words.map(closenessOf);
  const total = weights.reduce<number>((sum, weight) => sum + weight, 0);
  const { words, further } = WEIGHTS.room;
  const room = Math.min(total, words) + further * Math.max(0, total - words);
  const [label = ''] = query.labels;
  const madeUp = query.words.some(({ unknown, repairs }) => unknown || repairs.length > 0);
  const likeness = remember((other) => likenessOf(label, other));

  return (candidate) => {
    const name = nameOf(candidate);
    const met = query.words.map(({ word }, at) => meetWord(word, closeness[at] as Closeness, name));
    const sum = met.reduce((all, { worth }, at) => all + worth * (weights[at] ?? 0), 0);
    const balance = metShare(met, weights);
    let coverage = room === 0 ? 0 : Math.min(1, sum / room) * balance;
    let precision = shareExplained(name);
    const alike = madeUp ? likeness(candidate.label) : 0;
    if (alike >= WEIGHTS.alike && alike > coverage) {
      coverage = alike;
      precision = alike;
    }
    const features = {
      coverage,
      precision,
      order: inOrder(query, candidate.label) ? 1 : 0,
      agreement: agreementOf(name, met),
      quality: candidate.quality / 100,
    };
    const exact = exactnessOf(query, candidate);
    return { exact, ...features, met, score: scoreOf(exact, features) };
  };
}

type Features = Pick<Reason, 'coverage' | 'precision' | 'order' | 'agreement' | 'quality'>;

function scoreOf(exact: Reason['exact'], features: Features): number {
  if (exact === 'domain') return 1;
  const { score, exactLabel } = WEIGHTS;
  if (exact === 'label') return exactLabel + (0.99 - exactLabel) * features.quality;
  return (
    exactLabel *
    (score.coverage * features.coverage +
      score.precision * features.precision +
      score.order * features.order +
      score.agreement * features.agreement +
      score.quality * features.quality)
  );
}

/** How much alike two names look: by the slips between them, or in longer ones by the runs of letters they share. */
function likenessOf(label: string, other: string): number {
  const longest = Math.max(label.length, other.length);
  const slips = slipsBetween(label, other, 2);
  const bySlips = slips > 2 || longest < SHORTEST_ALIKE ? 0 : 1 - slips / longest;
  return Math.max(bySlips, similarity(label, other));
}

function exactnessOf(query: ParsedQuery, candidate: Candidate): Reason['exact'] {
  const { domain, labels } = query;
  if (domain && candidate.domainUnicode === `${domain.label}.${domain.tld}`) return 'domain';
  return labels.includes(candidate.label) ? 'label' : null;
}

/** Whether what the owner says of the name speaks of what was asked, too; half where nothing is said. */
function agreementOf({ tags, about }: Name, met: readonly Met[]): number {
  if (tags.length + about.length === 0) return 0.5;
  return met.some(({ owner }) => owner) ? 1 : 0;
}

/** 1 when every word is met at least a little, less by the share of those that are not. */
function metShare(met: readonly Met[], weights: readonly number[]): number {
  const { share, met: least } = WEIGHTS.balance;
  let all = 0;
  let some = 0;
  for (const [at, { worth }] of met.entries()) {
    const weight = weights[at] ?? 0;
    all += weight;
    if (worth >= least) some += weight;
  }
  return all === 0 ? 0 : 1 - share + share * Math.min(1, some / Math.min(all, WEIGHTS.room.words));
}

/** The share of the label's letters that the query asked for. */
function shareExplained({ labelWords, explained }: Name): number {
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

function remember<T>(work: (key: string) => T): (key: string) => T {
  const memory = new Map<string, T>();
  return (key) => {
    let value = memory.get(key);
    if (value === undefined) {
      value = work(key);
      memory.set(key, value);
    }
    return value;
  };
}
