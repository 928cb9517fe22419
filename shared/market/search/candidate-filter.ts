import type { Cents } from '../../platform/money.ts';
import type { QueryLimits } from './understanding/interpretation.ts';

/** The filters that a caller sets in addition to the query. */
export interface ExplicitFilter {
  /** A-labels, without the leading dot. */
  tlds?: readonly string[] | undefined;
  minPriceCents?: Cents | undefined;
  maxPriceCents?: Cents | undefined;
}

/** The conditions that every result must meet. */
export interface CandidateFilter {
  /** Undefined for any. */
  tlds?: readonly string[] | undefined;
  excludedTlds: readonly string[];
  minPriceCents?: Cents | undefined;
  maxPriceCents?: Cents | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  /** SQL `like` patterns the folded label must match: `neo%`. */
  patterns: readonly string[];
  /** Patterns it must not match. */
  notPatterns: readonly string[];
  /** SQL regular expressions the label must match as written. */
  written: readonly string[];
  notWritten: readonly string[];
  /** The number of words in the label; undefined for any. */
  words?: number | undefined;
}

export const NO_FILTER: CandidateFilter = {
  excludedTlds: [],
  patterns: [],
  notPatterns: [],
  written: [],
  notWritten: [],
};

/** Returns the filter of a query: the caller's filters, then the limits in its words. */
export function toCandidateFilter(limits: QueryLimits, explicit: ExplicitFilter): CandidateFilter {
  const { startsWith, endsWith, contains } = limits;
  return {
    tlds: explicit.tlds ?? (limits.tlds.length > 0 ? limits.tlds : undefined),
    excludedTlds: limits.excludedTlds,
    minPriceCents: explicit.minPriceCents ?? limits.minPriceCents ?? undefined,
    maxPriceCents: explicit.maxPriceCents ?? limits.maxPriceCents ?? undefined,
    minLength: limits.minLength ?? undefined,
    maxLength: limits.maxLength ?? undefined,
    // Folded strings contain only letters, marks and digits, so they have no `like` wildcards.
    patterns: [
      ...(startsWith === null ? [] : [`${startsWith}%`]),
      ...(endsWith === null ? [] : [`%${endsWith}`]),
      ...contains.map((text) => `%${text}%`),
    ],
    notPatterns: [
      ...limits.notStartsWith.map((text) => `${text}%`),
      ...limits.notEndsWith.map((text) => `%${text}`),
    ],
    written: [
      ...writtenPatterns(limits),
      ...limits.patterns.flatMap(({ written = [] }) => written),
    ],
    notWritten: limits.patterns.flatMap(({ notWritten = [] }) => notWritten),
    words: limits.words ?? undefined,
  };
}

/** Patterns for digits and hyphens. */
function writtenPatterns(limits: QueryLimits): string[] {
  return [
    ...(limits.noHyphens ? ['^[^-]*$'] : []),
    ...(limits.noDigits ? ['^[^0-9]*$'] : []),
    ...(limits.withHyphens ? ['-'] : []),
    ...(limits.withDigits ? ['[0-9]'] : []),
    ...(limits.onlyDigits ? ['^[0-9]+$'] : []),
  ];
}

/** Returns the limits in force: the caller's filters replace the same limits in the query's words. */
export function limitsInForce<T extends QueryLimits>(limits: T, explicit: ExplicitFilter): T {
  const namesPrice = explicit.minPriceCents !== undefined || explicit.maxPriceCents !== undefined;
  return {
    ...limits,
    ...(explicit.tlds && { tlds: [], excludedTlds: [] }),
    ...(namesPrice && { minPriceCents: null, maxPriceCents: null, currency: null }),
  };
}

/** Returns the limits without those that depend on prices. */
export function withoutPrices<T extends QueryLimits>(limits: T): T {
  return {
    ...limits,
    minPriceCents: null,
    maxPriceCents: null,
    currency: null,
    wishes: limits.wishes.filter((wish) => wish !== 'cheap'),
  };
}

export function boundsPrice({ minPriceCents, maxPriceCents }: CandidateFilter): boolean {
  return minPriceCents !== undefined || maxPriceCents !== undefined;
}

/** Returns whether the filter excludes so much that more must be read. */
export function isFiltered(filter: CandidateFilter): boolean {
  return (
    boundsPrice(filter) ||
    filter.tlds !== undefined ||
    filter.minLength !== undefined ||
    filter.maxLength !== undefined ||
    filter.patterns.length > 0 ||
    filter.notPatterns.length > 0 ||
    filter.written.length > 0 ||
    filter.notWritten.length > 0 ||
    filter.words !== undefined
  );
}
