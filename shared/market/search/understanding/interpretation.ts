import type { Cents } from '../../../platform/money.ts';
import type { LetterPattern } from './letter-patterns.ts';

/** A buyer's wish for a name. Wishes order the results; they exclude no name by themselves. */
export const WISHES = [
  'short',
  'brandable',
  'made_up',
  'premium',
  'cheap',
  'descriptive',
  'one_word',
] as const;
export type Wish = (typeof WISHES)[number];

/** The limits that a query's words set for every result. Strings are folded like labels in the index. */
export interface QueryLimits {
  /** A-labels, without the leading dot. */
  tlds: readonly string[];
  excludedTlds: readonly string[];
  minPriceCents: Cents | null;
  maxPriceCents: Cents | null;
  /** ISO 4217, when one was named. */
  currency: string | null;
  /** Characters of the label as a reader counts them. */
  minLength: number | null;
  maxLength: number | null;
  startsWith: string | null;
  endsWith: string | null;
  contains: readonly string[];
  /** Words, or several words that exclude only together. */
  excluded: readonly string[];
  noHyphens: boolean;
  noDigits: boolean;
  withHyphens: boolean;
  withDigits: boolean;
  onlyDigits: boolean;
  /** Further patterns of the letters: `CVCV`, no vowels. */
  patterns: readonly LetterPattern[];
  /** What labels must not begin or end with. */
  notStartsWith: readonly string[];
  notEndsWith: readonly string[];
  /** The number of words in the label. */
  words: number | null;
  wishes: readonly Wish[];
}

/** A query as the buyer means it. */
export interface QueryInterpretation extends QueryLimits {
  /** The rest to search by words and meaning; empty if everything was understood. */
  topic: string;
}

/** The meaning of one phrase. */
export type PhraseMeaning = Partial<QueryLimits>;

export const NO_LIMITS: QueryLimits = {
  tlds: [],
  excludedTlds: [],
  minPriceCents: null,
  maxPriceCents: null,
  currency: null,
  minLength: null,
  maxLength: null,
  startsWith: null,
  endsWith: null,
  contains: [],
  excluded: [],
  noHyphens: false,
  noDigits: false,
  withHyphens: false,
  withDigits: false,
  onlyDigits: false,
  patterns: [],
  notStartsWith: [],
  notEndsWith: [],
  words: null,
  wishes: [],
};

/** Combines limits: the tighter of two bounds, the first of two prefixes or suffixes, the union of lists. */
export function combineLimits(one: QueryLimits, other: PhraseMeaning): QueryLimits {
  return {
    tlds: union(one.tlds, other.tlds),
    excludedTlds: union(one.excludedTlds, other.excludedTlds),
    minPriceCents: tighter(Math.max, one.minPriceCents, other.minPriceCents),
    maxPriceCents: tighter(Math.min, one.maxPriceCents, other.maxPriceCents),
    currency: one.currency ?? other.currency ?? null,
    minLength: tighter(Math.max, one.minLength, other.minLength),
    maxLength: tighter(Math.min, one.maxLength, other.maxLength),
    startsWith: one.startsWith ?? other.startsWith ?? null,
    endsWith: one.endsWith ?? other.endsWith ?? null,
    contains: union(one.contains, other.contains),
    excluded: union(one.excluded, other.excluded),
    noHyphens: one.noHyphens || (other.noHyphens ?? false),
    noDigits: one.noDigits || (other.noDigits ?? false),
    withHyphens: one.withHyphens || (other.withHyphens ?? false),
    withDigits: one.withDigits || (other.withDigits ?? false),
    onlyDigits: one.onlyDigits || (other.onlyDigits ?? false),
    patterns: byName([...one.patterns, ...(other.patterns ?? [])]),
    notStartsWith: union(one.notStartsWith, other.notStartsWith),
    notEndsWith: union(one.notEndsWith, other.notEndsWith),
    words: one.words ?? other.words ?? null,
    wishes: union(one.wishes, other.wishes),
  };
}

/** Returns whether any limit or wish is set. */
export function hasLimits(limits: QueryLimits): boolean {
  return (Object.keys(NO_LIMITS) as (keyof QueryLimits)[]).some((key) => {
    const value = limits[key];
    return Array.isArray(value) ? value.length > 0 : value !== null && value !== false;
  });
}

function union<T>(one: readonly T[], other: readonly T[] = []): readonly T[] {
  return [...new Set([...one, ...other])];
}

function byName(patterns: readonly LetterPattern[]): readonly LetterPattern[] {
  return [...new Map(patterns.map((pattern) => [pattern.name, pattern])).values()];
}

function tighter(
  choose: (a: number, b: number) => number,
  one: number | null,
  other: number | null = null,
): number | null {
  if (one === null || other === null) return one ?? other;
  return choose(one, other);
}
