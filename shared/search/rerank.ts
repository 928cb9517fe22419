import type { ParsedQuery } from './query.ts';
import type { Candidate } from './search.store.ts';
import { similarity, stem, wordsOf } from './text.ts';

/** A candidate and how well it answers, 0 to 1. */
export interface Ranked {
  candidate: Candidate;
  score: number;
}

/** Below this a name is not an answer but a coincidence. */
const RELEVANT = 0.4;
/** Answers much weaker than the best one only blur it. */
const SHARE_OF_BEST = 0.5;

/** What a word of the query is worth when this is the best it finds; the order is the order of the search. */
const WORTH = {
  labelWord: 1,
  labelStem: 0.95,
  insideLabel: 0.85,
  keyword: 0.75,
  tld: 0.7,
  relatedLabel: 0.65,
  misspelt: 0.9,
  relatedKeyword: 0.55,
  description: 0.5,
  relatedDescription: 0.3,
} as const;

/** How alike a misspelt word must be to count as the same (Dice over trigrams). */
const ALIKE = 0.55;

const WEIGHTS = { coverage: 0.75, precision: 0.17, quality: 0.08 } as const;

/**
 * Orders candidates by how well they answer, best first, and drops what does not. The features: how much of
 * the query a name covers, how much of the name the query explains, and how good the name is by itself.
 */
export function rerank(query: ParsedQuery, candidates: readonly Candidate[]): Ranked[] {
  const ranked = candidates
    .map((candidate) => ({ candidate, score: round(scoreOf(query, candidate)) }))
    .filter(({ score }) => score >= RELEVANT)
    .sort((a, b) => b.score - a.score || compare(a.candidate.domain, b.candidate.domain));
  const best = ranked[0]?.score ?? 0;
  return ranked.filter(({ score }) => score >= best * SHARE_OF_BEST);
}

function scoreOf(query: ParsedQuery, candidate: Candidate): number {
  if (candidate.label === query.joined) return exactScore(query, candidate);
  const joinedAlike = similarity(query.joined, candidate.label);
  const features = {
    coverage: Math.max(coverageOf(query, candidate), joinedAlike >= ALIKE ? joinedAlike : 0),
    precision: precisionOf(query, candidate),
    quality: qualityOf(candidate),
  };
  const score =
    WEIGHTS.coverage * features.coverage +
    WEIGHTS.precision * features.precision +
    WEIGHTS.quality * features.quality;
  // Only the label itself may score above this.
  return features.coverage < RELEVANT ? 0 : Math.min(score, 0.93);
}

function exactScore(query: ParsedQuery, candidate: Candidate): number {
  if (!query.domain) return 0.94 + 0.05 * qualityOf(candidate);
  return candidate.domainUnicode.endsWith(`.${query.domain.tld}`)
    ? 1
    : 0.94 + 0.05 * qualityOf(candidate);
}

/** The mean worth of the query's words, each by its best find. */
function coverageOf(query: ParsedQuery, candidate: Candidate): number {
  if (query.words.length === 0) return 0;
  const where = {
    label: stems(candidate.labelWords),
    keywords: stems(candidate.keywords),
    description: stems(candidate.description),
    labelWords: candidate.labelWords.split(' '),
    allWords: `${candidate.labelWords} ${candidate.keywords}`.split(' '),
  };
  let sum = 0;
  for (const word of query.words) {
    const key = stem(word);
    const related = (query.related.get(word) ?? []).map(stem);
    const finds = [
      where.labelWords.includes(word) ? WORTH.labelWord : 0,
      where.label.has(key) ? WORTH.labelStem : 0,
      word.length >= 4 && candidate.label.includes(word) ? WORTH.insideLabel : 0,
      where.keywords.has(key) ? WORTH.keyword : 0,
      candidate.tld === word ? WORTH.tld : 0,
      related.some((other) => where.label.has(other)) ? WORTH.relatedLabel : 0,
      related.some((other) => where.keywords.has(other)) ? WORTH.relatedKeyword : 0,
      where.description.has(key) ? WORTH.description : 0,
      related.some((other) => where.description.has(other)) ? WORTH.relatedDescription : 0,
      misspeltWorth(word, where.labelWords, where.allWords),
    ];
    sum += Math.max(...finds);
  }
  return sum / query.words.length;
}

function misspeltWorth(word: string, labelWords: string[], allWords: string[]): number {
  if (word.length < 4) return 0;
  const inLabel = bestSimilarity(word, labelWords);
  if (inLabel >= ALIKE) return WORTH.misspelt * inLabel;
  const anywhere = bestSimilarity(word, allWords);
  return anywhere >= ALIKE ? WORTH.keyword * anywhere : 0;
}

function bestSimilarity(word: string, others: string[]): number {
  return Math.max(0, ...others.map((other) => (other.length < 4 ? 0 : similarity(word, other))));
}

/** The share of the label's letters that the query asked for. */
function precisionOf(query: ParsedQuery, candidate: Candidate): number {
  const asked = new Set<string>();
  for (const word of query.words) {
    asked.add(stem(word));
    for (const other of query.related.get(word) ?? []) asked.add(stem(other));
  }
  let explained = 0;
  for (const word of candidate.labelWords.split(' ')) {
    if (asked.has(stem(word))) explained += word.length;
  }
  return candidate.label.length === 0 ? 0 : explained / candidate.label.length;
}

/** What makes a name good whoever asks: short, plain, under a suffix that people remember. */
function qualityOf(candidate: Candidate): number {
  const short = Math.max(0, 1 - Math.max(0, candidate.label.length - 6) / 18);
  const plain = /[-0-9]/.test(candidate.domain) ? 0 : 1;
  const suffix = candidate.tld === 'com' ? 1 : candidate.tld.length <= 3 ? 0.6 : 0.4;
  return 0.5 * short + 0.25 * plain + 0.25 * suffix;
}

function stems(text: string): Set<string> {
  return new Set(wordsOf(text).map(stem));
}

function round(score: number): number {
  return Math.round(Math.min(1, score) * 1_000) / 1_000;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
