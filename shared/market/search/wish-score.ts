import { isLatin } from './language/text-analysis.ts';
import { wordList } from './language/word-list.ts';
import type { Candidate } from './search.store.ts';
import { NAME_SHAPES } from './search-document.ts';
import type { QueryLimits, Wish } from './understanding/interpretation.ts';

/** The share of a score that wishes decide: they order matches but never create one. */
const WISHES_SHARE = 0.3;
/** The score cap if there are wishes: such a query does not ask for an exact name. */
const BEST_BEFORE_WISHES = 0.8;
/** The wishes' share if nothing else is asked; quality decides the rest. */
const WISHES_ALONE = 0.7;

/** The traits of a name that wishes refer to. */
interface NameTraits {
  label: string;
  length: number;
  isPlain: boolean;
  isCom: boolean;
  quality: number;
  shape: number;
  /** 0 for the most expensive candidate, 1 for the cheapest. */
  cheapness: number;
}

/** How well a name fulfills each wish, 0 to 1. */
const FEATURES: Record<Wish, (name: NameTraits) => number> = {
  short: ({ length }) => falling(length, 4, 14),
  brandable: (name) =>
    (name.isPlain ? 1 : 0.2) *
    falling(name.length, 9, 18) *
    (0.5 + 0.5 * pronounceability(name.label)) *
    shapeWorth(name, { word: 0.9, coined: 1, pair: 0.65, phrase: 0.2 }),
  made_up: (name) =>
    falling(name.length, 9, 18) *
    (0.5 + 0.5 * pronounceability(name.label)) *
    shapeWorth(name, { word: 0.2, coined: 1, pair: 0.1, phrase: 0 }),
  premium: (name) =>
    (name.isPlain ? 1 : 0.3) *
    (0.35 * name.quality +
      0.25 * (name.isCom ? 1 : 0.2) +
      0.15 * commonness(name.label) +
      0.25 * shapeWorth(name, { word: 1, coined: 0.4, pair: 0.6, phrase: 0.1 })),
  cheap: ({ cheapness }) => cheapness,
  descriptive: (name) => shapeWorth(name, { word: 0.6, coined: 0, pair: 1, phrase: 0.9 }),
  one_word: (name) =>
    0.9 * shapeWorth(name, { word: 1, coined: 0.5, pair: 0, phrase: 0 }) +
    0.1 * commonness(name.label),
};

/** Returns how well each candidate fulfills the wishes, 0 to 1; its quality if there are none. */
export function wishScores(
  candidates: readonly Candidate[],
  { wishes }: Pick<QueryLimits, 'wishes'>,
): Map<Candidate, number> {
  const prices = candidates.map(({ priceCents }) => Math.log(priceCents));
  const lowest = prices.reduce((least, price) => Math.min(least, price), Number.POSITIVE_INFINITY);
  const highest = prices.reduce((most, price) => Math.max(most, price), 0);
  return new Map(
    candidates.map((candidate) => {
      const name = traitsOf(candidate, lowest, highest);
      const sum = wishes.reduce((all, wish) => all + FEATURES[wish](name), 0);
      return [candidate, wishes.length === 0 ? name.quality : sum / wishes.length];
    }),
  );
}

/** Returns a score including the share of wishes. */
export function withWishes(score: number, wish: number): number {
  return Math.min(score, BEST_BEFORE_WISHES) * (1 - WISHES_SHARE + WISHES_SHARE * wish);
}

/** Returns the score of a name without a topic. Limits are read in English, so other scripts come last. */
export function scoreWithoutTopic({ label, quality }: Candidate, wish: number): number {
  const score = (quality / 100) * (1 - WISHES_ALONE) + wish * WISHES_ALONE;
  return isLatin(label) ? score : score / 2;
}

function traitsOf(candidate: Candidate, lowest: number, highest: number): NameTraits {
  const [written = ''] = candidate.domainUnicode.split('.');
  const spread = highest - lowest;
  return {
    label: candidate.label,
    length: Array.from(written).length,
    isPlain: !/[-0-9]/.test(written),
    isCom: candidate.tld === 'com',
    quality: candidate.quality / 100,
    shape: candidate.shape ?? NAME_SHAPES.phrase,
    cheapness: spread > 0 ? (highest - Math.log(candidate.priceCents)) / spread : 1,
  };
}

function shapeWorth(
  { shape }: NameTraits,
  worth: Record<keyof typeof NAME_SHAPES, number>,
): number {
  for (const [name, value] of Object.entries(NAME_SHAPES)) {
    if (value === shape) return worth[name as keyof typeof NAME_SHAPES];
  }
  return 0;
}

/** Returns 1 for the most common words, 0 for rare ones and unknown words: well-known words are worth more. */
function commonness(label: string): number {
  const rank = wordList().rankOf(label);
  return rank === undefined ? 0 : falling(Math.log(rank), Math.log(1_000), Math.log(50_000));
}

/** Returns 1 up to `best` and 0 from `worst` on. */
function falling(value: number, best: number, worst: number): number {
  return Math.min(1, Math.max(0, (worst - value) / (worst - best)));
}

/**
 * Returns how pronounceable a label is, 0 to 1: by how regularly vowels and consonants alternate. Pairs pronounced as
 * one sound count as one. Other scripts score 0, because wishes are read in English.
 */
export function pronounceability(label: string): number {
  if (!/^[a-z]+$/.test(label)) return 0;
  const sounds = label
    .replace(/(.)\1/g, '$1')
    .replace(
      /tch|ch|sh|th|ph|ck|qu|wh|gh|ng|[bcfgp][lr]|[dt]r|[dst]w|s[tpkclmnw]|n[dtk]|r[dtkmn]|l[dtmk]|mp/g,
      'c',
    )
    .replace(/[aeiouy]+/g, 'a')
    .replace(/[^a]/g, 'c');
  if (!sounds.includes('a')) return 0;
  const collisions = sounds.match(/cc/g)?.length ?? 0;
  return Math.max(0, 1 - (2 * collisions) / sounds.length);
}
