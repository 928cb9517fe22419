import { isLatin } from './language/text-analysis.ts';
import { wordList } from './language/word-list.ts';
import type { Candidate } from './search.store.ts';
import { NAME_SHAPES } from './search-document.ts';
import type { QueryLimits, Wish } from './understanding/interpretation.ts';
import { STYLED } from './understanding/wish-phrases.ts';
import { styleMatcher } from './wish-style.ts';

/** How much of a score wishes decide: they order what fits, and never make a name fit that does not. */
const WISHES_SHARE = 0.3;
/** Who wishes something of a name does not ask for the very word. */
const BEST_BEFORE_WISHES = 0.8;
/** The same where nothing else is asked; its quality decides the rest. */
const WISHES_ALONE = 0.7;

/** What a name is like, for what people wish of names. */
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

/** How well a name has what each wish asks for, 0 to 1. */
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

/** How well each candidate has what is wished, 0 to 1; its quality when nothing is. */
export function wishScores(
  candidates: readonly Candidate[],
  { wishes, style }: Pick<QueryLimits, 'wishes' | 'style'>,
): Map<Candidate, number> {
  const styleOf = styleMatcher(style);
  const prices = candidates.map(({ priceCents }) => Math.log(priceCents));
  const lowest = prices.reduce((least, price) => Math.min(least, price), Number.POSITIVE_INFINITY);
  const highest = prices.reduce((most, price) => Math.max(most, price), 0);
  return new Map(
    candidates.map((candidate) => {
      const name = traitsOf(candidate, lowest, highest);
      const styled = styleOf?.(candidate.labelWords) ?? 0;
      const sum = wishes.reduce(
        (all, wish) => all + Math.max(FEATURES[wish](name), STYLED.has(wish) ? styled : 0),
        0,
      );
      return [candidate, wishes.length === 0 ? name.quality : sum / wishes.length];
    }),
  );
}

/** A score with the share that wishes have in it. */
export function withWishes(score: number, wish: number): number {
  return Math.min(score, BEST_BEFORE_WISHES) * (1 - WISHES_SHARE + WISHES_SHARE * wish);
}

/** The score of a name when no topic is asked. Limits are read in English, so names in other scripts come last. */
export function scoreWithoutTopic({ label, quality }: Candidate, wish: number): number {
  const score = (quality / 100) * (1 - WISHES_ALONE) + wish * WISHES_ALONE;
  return isLatin(label) ? score : score / 2;
}

/** Wishes that a made-up name may fulfill whatever it is to be for. */
const OF_ANY_BRAND: ReadonlySet<Wish> = new Set([
  'short',
  'brandable',
  'made_up',
  'one_word',
  'premium',
]);
/** What a name that says nothing of the topic is worth where it is all that is wished. */
const FREE_BRAND = { score: 0.6, wish: 0.75 } as const;

/** Whether names that say nothing of any topic fulfill all wishes as well as those of the topic. */
export function wantsAnyBrand(wishes: readonly Wish[]): boolean {
  return wishes.length > 0 && wishes.every((wish) => OF_ANY_BRAND.has(wish));
}

/** The score of a made-up name under a topic that it says nothing of; null for one that is no such name. */
export function scoreOfFreeBrand(candidate: Candidate, wish: number): number | null {
  const { label, shape, tags, about } = candidate;
  // What its owner says it is for is something else.
  const isFree =
    shape === NAME_SHAPES.coined &&
    isLatin(label) &&
    tags === '' &&
    about === '' &&
    wish >= FREE_BRAND.wish;
  return isFree ? FREE_BRAND.score * wish : null;
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

/** 1 for the commonest words, 0 for rare ones and what is no word: a word that everybody knows is worth more. */
function commonness(label: string): number {
  const rank = wordList().rankOf(label);
  return rank === undefined ? 0 : falling(Math.log(rank), Math.log(1_000), Math.log(50_000));
}

/** 1 up to `best`, 0 from `worst` on. */
function falling(value: number, best: number, worst: number): number {
  return Math.min(1, Math.max(0, (worst - value) / (worst - best)));
}

/**
 * How easily a label is said, 0 to 1: by how much of it has vowels and consonants in turn. Pairs that are said as
 * one sound count as one. Who wishes in English cannot say other scripts.
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
