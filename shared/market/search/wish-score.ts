import type { Candidate } from './search.store.ts';
import { NAME_SHAPES } from './search-document.ts';
import type { Wish } from './understanding/interpretation.ts';

/** How much of a score wishes decide: they order what fits, and never make a name fit that does not. */
const WISHES_SHARE = 0.3;
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
  /** 0 for the dearest of all candidates, 1 for the cheapest. */
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
    (0.4 * name.quality +
      0.3 * (name.isCom ? 1 : 0.2) +
      0.3 * shapeWorth(name, { word: 1, coined: 0.4, pair: 0.6, phrase: 0.1 })),
  cheap: ({ cheapness }) => cheapness,
  descriptive: (name) => shapeWorth(name, { word: 0.6, coined: 0, pair: 1, phrase: 0.9 }),
  one_word: (name) => shapeWorth(name, { word: 1, coined: 0.5, pair: 0, phrase: 0 }),
};

/** How well each candidate has what is wished, 0 to 1; its quality when nothing is. */
export function wishScores(
  candidates: readonly Candidate[],
  wishes: readonly Wish[],
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

/** A score with the share that wishes have in it. */
export function withWishes(score: number, wish: number): number {
  return score * (1 - WISHES_SHARE + WISHES_SHARE * wish);
}

/** The score of a name when no topic is asked. */
export function scoreWithoutTopic(quality: number, wish: number): number {
  return quality * (1 - WISHES_ALONE) + wish * WISHES_ALONE;
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

/** 1 up to `best`, 0 from `worst` on. */
function falling(value: number, best: number, worst: number): number {
  return Math.min(1, Math.max(0, (worst - value) / (worst - best)));
}

/**
 * How easily a label is said, 0 to 1: by how much of it has vowels and consonants in turn. Pairs that are said as
 * one sound count as one; other scripts are as easy as their readers find them.
 */
export function pronounceability(label: string): number {
  if (!/^[a-z]+$/.test(label)) return /^[a-z0-9]*$/.test(label) ? 0 : 1;
  const sounds = label
    .replace(/(.)\1/g, '$1')
    .replace(
      /ch|sh|th|ph|ck|qu|wh|gh|ng|[bcfgp][lr]|[dt]r|s[tpkclmnw]|n[dtk]|r[dtkmn]|l[dtmk]|mp/g,
      'c',
    )
    .replace(/[aeiouy]+/g, 'a')
    .replace(/[^a]/g, 'c');
  if (!sounds.includes('a')) return 0;
  const collisions = sounds.match(/cc/g)?.length ?? 0;
  return Math.max(0, 1 - (2 * collisions) / sounds.length);
}
