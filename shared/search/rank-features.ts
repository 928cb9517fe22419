import type { ParsedQuery } from './query.ts';
import type { Candidate } from './search.store.ts';
import { similarity, stem } from './text.ts';

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

/** Words that say little of the business, though more than stop words do. */
const GENERIC = new Set(
  `agency app best brand business buy cheap company find firm free group help maker new now offer online
   place platform seller selling sending service services small software start startup store studio team
   tool tools top web`.split(/\s+/),
);
const GENERIC_WEIGHT = 0.3;
/** A label has room for two or three words: what a long query asks beyond that counts less. */
const FULL_WORDS = 2;
const FURTHER_WORDS = 0.4;

/** A query made ready to be held against many candidates. */
export interface Asked {
  query: ParsedQuery;
  words: readonly { word: string; stem: string; related: ReadonlySet<string>; weight: number }[];
  /** Stems of all words and of what is near them in meaning. */
  stems: ReadonlySet<string>;
  /** Candidates share most of their words, so both remember what they worked out. */
  stemOf(word: string): string;
  alike(a: string, b: string): number;
}

export function askedBy(query: ParsedQuery): Asked {
  const words = query.words.map((word) => ({
    word,
    stem: stem(word),
    related: new Set((query.related.get(word) ?? []).map(stem)),
    weight: GENERIC.has(word) ? GENERIC_WEIGHT : 1,
  }));
  const stems = new Map<string, string>();
  const similarities = new Map<string, number>();
  return {
    query,
    words,
    stems: new Set(words.flatMap((word) => [word.stem, ...word.related])),
    stemOf: (word) => remembered(stems, word, () => stem(word)),
    alike: (a, b) => remembered(similarities, `${a} ${b}`, () => similarity(a, b)),
  };
}

function remembered<T>(memory: Map<string, T>, key: string, work: () => T): T {
  let value = memory.get(key);
  if (value === undefined) {
    value = work();
    memory.set(key, value);
  }
  return value;
}

/** How much of the query is found, each word by its best find, as a share of what a label can hold. */
export function coverageOf(asked: Asked, candidate: Candidate): number {
  const labelWords = candidate.labelWords.split(' ');
  const keywords = candidate.keywords.split(' ');
  const label = new Set(labelWords.map(asked.stemOf));
  const tags = new Set(keywords.map(asked.stemOf));
  const description = new Set(candidate.description.split(' ').map(asked.stemOf));
  let sum = 0;
  let weights = 0;
  for (const { word, stem, related, weight } of asked.words) {
    weights += weight;
    const finds = [
      labelWords.includes(word) ? WORTH.labelWord : 0,
      label.has(stem) ? WORTH.labelStem : 0,
      isInside(word, candidate.label) ? WORTH.insideLabel : 0,
      tags.has(stem) ? WORTH.keyword : 0,
      candidate.tld === word ? WORTH.tld : 0,
      meets(related, label) ? WORTH.relatedLabel : 0,
      meets(related, tags) ? WORTH.relatedKeyword : 0,
      description.has(stem) ? WORTH.description : 0,
      meets(related, description) ? WORTH.relatedDescription : 0,
      misspeltWorth(asked, word, labelWords, keywords),
    ];
    sum += weight * Math.max(...finds);
  }
  const room = Math.min(weights, FULL_WORDS) + FURTHER_WORDS * Math.max(0, weights - FULL_WORDS);
  const byWords = room === 0 ? 0 : Math.min(1, sum / room);
  const asWhole = asked.alike(asked.query.joined, candidate.label);
  return Math.max(byWords, asWhole >= ALIKE ? asWhole : 0);
}

/** Inside a label, a few Latin letters are a coincidence; two signs of another script are a word. */
function isInside(word: string, label: string): boolean {
  return word.length >= (/^[\x20-\x7e]+$/.test(word) ? 4 : 2) && label.includes(word);
}

function meets(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const one of some) if (others.has(one)) return true;
  return false;
}

function misspeltWorth(asked: Asked, word: string, label: string[], keywords: string[]): number {
  if (word.length < 4) return 0;
  const best = (others: string[]) =>
    Math.max(0, ...others.map((other) => (other.length < 4 ? 0 : asked.alike(word, other))));
  const inLabel = best(label);
  if (inLabel >= ALIKE) return WORTH.misspelt * inLabel;
  const anywhere = best(keywords);
  return anywhere >= ALIKE ? WORTH.keyword * anywhere : 0;
}

/** The share of the label's letters that the query asked for. */
export function precisionOf(asked: Asked, candidate: Candidate): number {
  let explained = 0;
  for (const word of candidate.labelWords.split(' ')) {
    if (asked.stems.has(asked.stemOf(word))) explained += word.length;
  }
  return candidate.label.length === 0 ? 0 : explained / candidate.label.length;
}

/** What makes a name good whoever asks: short, plain, under a suffix that people remember. */
export function qualityOf(candidate: Candidate): number {
  const short = Math.max(0, 1 - Math.max(0, candidate.label.length - 6) / 18);
  const plain = /[-0-9]/.test(candidate.domain) ? 0 : 1;
  const suffix = candidate.tld === 'com' ? 1 : candidate.tld.length <= 3 ? 0.6 : 0.4;
  return 0.5 * short + 0.25 * plain + 0.25 * suffix;
}
