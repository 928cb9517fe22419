import type { Tier } from './term-names.ts';

/** What makes a name good whoever asks: short, plain, of one or two words, under a suffix that people remember. */
export interface NameTraits {
  /** The folded label without separators. */
  label: string;
  /** As it is written, hyphens and all. */
  written: string;
  tld: string;
  words: number;
  /** All of its pieces are words. */
  known: boolean;
}

const QUALITY_WEIGHTS = { short: 0.4, plain: 0.25, suffix: 0.2, words: 0.15 } as const;
/** Labels up to here are as short as one can wish for; each further letter costs a fourteenth. */
const SHORT = 6;
const LONG = 20;

/** 0 to 1, from the name alone, so that it never changes while the name is listed. */
export function staticQuality({ label, written, tld, words, known }: NameTraits): number {
  const length = Array.from(label).length;
  const short = Math.min(1, Math.max(0, (LONG - length) / (LONG - SHORT)));
  const plain = /[-0-9]/.test(written) ? 0 : 1;
  const suffix = tld === 'com' ? 1 : tld.length <= 3 ? 0.6 : 0.3;
  const few = known && words <= 2 ? 1 : words <= 3 ? 0.5 : 0;
  return (
    QUALITY_WEIGHTS.short * short +
    QUALITY_WEIGHTS.plain * plain +
    QUALITY_WEIGHTS.suffix * suffix +
    QUALITY_WEIGHTS.words * few
  );
}

/** Where the tiers begin: about every eighth name is above the first, every fiftieth above both. */
const TIER_STARTS: readonly (readonly [start: number, tier: Tier])[] = [
  [0.9, '+'],
  [0.96, '++'],
];

/** The tiers above the common one in which a name of this quality stands. */
export function tiersOf(quality: number): Tier[] {
  return TIER_STARTS.filter(([start]) => quality >= start).map(([, tier]) => tier);
}
