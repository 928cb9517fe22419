import { type Closeness, closenessOf } from './closeness.ts';
import type { ParsedQuery } from './query.ts';
import type { Candidate } from './search.store.ts';
import { isWordLike } from './search-document.ts';
import { slipsBetween } from './spelling.ts';
import { stem } from './stem.ts';
import { isLatin, isUnspaced, similarity } from './text.ts';
import { WEIGHTS } from './weights.ts';

/** How one word of the query was met: by which word, where, and how well (0 to 1). */
export interface Met {
  asked: string;
  by: string | null;
  where: 'label' | 'tld' | 'tags' | 'about' | null;
  worth: number;
}

/** Why a name has its score: the features, each 0 to 1, and how each word was met. */
export interface Reason {
  exact: 'domain' | 'label' | null;
  coverage: number;
  precision: number;
  order: number;
  quality: number;
  met: readonly Met[];
  score: number;
}

export type Judge = (candidate: Candidate) => Reason;

const SHORTEST_ALIKE = 5;
const NOT_MET = { by: null, where: null, worth: 0 } as const;

/** A judge of how well names answer `query`; `weights` are those of its words. */
export function judgeOf(query: ParsedQuery, weights: readonly number[]): Judge {
  const closeness = query.words.map(closenessOf);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const { words, further } = WEIGHTS.room;
  const room = Math.min(total, words) + further * Math.max(0, total - words);
  const [label = ''] = query.labels;
  const madeUp = query.words.some(({ unknown, repairs }) => unknown || repairs.length > 0);
  const likeness = remember((other) => likenessOf(label, other));

  return (candidate) => {
    const labelWords = candidate.labelWords.split(' ');
    const stems = labelWords.map(stem);
    const tags = candidate.tags === '' ? [] : candidate.tags.split(' ');
    const about = candidate.about === '' ? [] : candidate.about.split(' ');
    const explained = stems.map(() => 0);
    const met = query.words.map(({ word }, at) => {
      const close = closeness[at] as Closeness;
      return {
        asked: word,
        ...meet(close, word, candidate, labelWords, stems, tags, about, explained),
      };
    });
    const sum = met.reduce((all, { worth }, at) => all + worth * (weights[at] ?? 0), 0);
    const balance = metShare(met, weights);
    let coverage = room === 0 ? 0 : Math.min(1, sum / room) * balance;
    let precision = shareExplained(labelWords, explained);
    const alike = madeUp ? likeness(candidate.label) : 0;
    if (alike >= WEIGHTS.alike && alike > coverage) {
      coverage = alike;
      precision = alike;
    }
    const features = {
      coverage,
      precision,
      order: inOrder(query, candidate.label) ? 1 : 0,
      quality: candidate.quality / 100,
    };
    const exact = exactnessOf(query, candidate);
    return { exact, ...features, met, score: scoreOf(exact, features) };
  };
}

type Features = Pick<Reason, 'coverage' | 'precision' | 'order' | 'quality'>;

function scoreOf(exact: Reason['exact'], features: Features): number {
  if (exact === 'domain') return 1;
  const { score, exactLabel } = WEIGHTS;
  if (exact === 'label') return exactLabel + (0.99 - exactLabel) * features.quality;
  return (
    exactLabel *
    (score.coverage * features.coverage +
      score.precision * features.precision +
      score.order * features.order +
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

/** The best place where a word is met; a second one makes it surer. Marks the words of the label that meet it. */
function meet(
  close: Closeness,
  word: string,
  candidate: Candidate,
  labelWords: readonly string[],
  stems: readonly string[],
  tags: readonly string[],
  about: readonly string[],
  explained: number[],
): Omit<Met, 'asked'> {
  const { place, match } = WEIGHTS;
  let best: Omit<Met, 'asked'> = NOT_MET;
  let second = 0;
  const consider = (worth: number, by: string, where: Exclude<Met['where'], null>) => {
    if (worth > best.worth) {
      if (best.where !== where) second = best.worth;
      best = { by, where, worth };
    } else if (worth > second && best.where !== where) second = worth;
  };

  for (const [at, stemmed] of stems.entries()) {
    const labelWord = labelWords[at] ?? '';
    let value = labelWord === word ? match.same : close.to(stemmed);
    if (value === 0 && isInside(word, labelWord)) value = match.inside;
    if (value === 0) continue;
    explained[at] = Math.max(explained[at] ?? 0, value);
    consider(value * place.label, labelWord, 'label');
  }
  if (close.parts.length === 2) {
    const at = stems.findIndex(
      (stemmed, index) => stemmed === close.parts[0] && stems[index + 1] === close.parts[1],
    );
    if (at >= 0) {
      explained[at] = match.joined;
      explained[at + 1] = match.joined;
      consider(match.joined * place.label, `${labelWords[at]} ${labelWords[at + 1]}`, 'label');
    }
  }
  if (isWordLike(candidate.tld)) {
    consider(close.to(stem(candidate.tld)) * place.tld, candidate.tld, 'tld');
  }
  for (const tag of tags) consider(close.to(tag) * place.tags, tag, 'tags');
  for (const stemmed of about) consider(close.to(stemmed) * place.about, stemmed, 'about');
  if (best.worth === 0) return NOT_MET;
  return { ...best, worth: best.worth + (1 - best.worth) * second * place.second };
}

/** Inside a label, a few Latin letters are a coincidence; two signs of another script are a word. */
function isInside(word: string, labelWord: string): boolean {
  if (isLatin(word))
    return word.length >= 5 && labelWord.length > word.length && labelWord.includes(word);
  return word.length >= (isUnspaced(word) ? 2 : 3) && labelWord.includes(word);
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

function shareExplained(labelWords: readonly string[], explained: readonly number[]): number {
  let letters = 0;
  let sum = 0;
  for (const [at, word] of labelWords.entries()) {
    letters += word.length;
    sum += word.length * (explained[at] ?? 0);
  }
  return letters === 0 ? 0 : sum / letters;
}

/** Whether the label begins or ends with two neighbouring words of the query, or with all of it. */
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
