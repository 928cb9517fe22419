import type { Cents } from '../../platform/money.ts';
import type { QueryLimits } from './understanding/interpretation.ts';

/** The filters that a caller names beside the query. */
export interface ExplicitFilter {
  /** A-labels, without the leading dot. */
  tlds?: readonly string[] | undefined;
  minPriceCents?: Cents | undefined;
  maxPriceCents?: Cents | undefined;
}

/** What every result has to pass. */
export interface CandidateFilter {
  /** Undefined for any. */
  tlds?: readonly string[] | undefined;
  excludedTlds: readonly string[];
  minPriceCents?: Cents | undefined;
  maxPriceCents?: Cents | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  /** What the folded label has to be like, as SQL spells it: `neo%`. */
  patterns: readonly string[];
  /** What it must not be like. */
  notPatterns: readonly string[];
  /** What the label as it is written has to be like, as regular expressions of SQL. */
  written: readonly string[];
  notWritten: readonly string[];
  /** Words of the label; undefined for any number. */
  words?: number | undefined;
}

export const NO_FILTER: CandidateFilter = {
  excludedTlds: [],
  patterns: [],
  notPatterns: [],
  written: [],
  notWritten: [],
};

/** The filter of a query: what the caller names, and what the words ask beside it. */
export function toCandidateFilter(limits: QueryLimits, explicit: ExplicitFilter): CandidateFilter {
  const { startsWith, endsWith, contains } = limits;
  return {
    tlds: explicit.tlds ?? (limits.tlds.length > 0 ? limits.tlds : undefined),
    excludedTlds: limits.excludedTlds,
    minPriceCents: explicit.minPriceCents ?? limits.minPriceCents ?? undefined,
    maxPriceCents: explicit.maxPriceCents ?? limits.maxPriceCents ?? undefined,
    minLength: limits.minLength ?? undefined,
    maxLength: limits.maxLength ?? undefined,
    // Folded strings have letters, marks and digits only, so nothing in them means anything to `like`.
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

/** Digits and hyphens. */
function writtenPatterns(limits: QueryLimits): string[] {
  return [
    ...(limits.noHyphens ? ['^[^-]*$'] : []),
    ...(limits.noDigits ? ['^[^0-9]*$'] : []),
    ...(limits.withHyphens ? ['-'] : []),
    ...(limits.withDigits ? ['[0-9]'] : []),
    ...(limits.onlyDigits ? ['^[0-9]+$'] : []),
  ];
}

/** What of a query's words is in force: a filter that the caller names takes the place of what they say of it. */
export function limitsInForce<T extends QueryLimits>(limits: T, explicit: ExplicitFilter): T {
  const namesPrice = explicit.minPriceCents !== undefined || explicit.maxPriceCents !== undefined;
  return {
    ...limits,
    ...(explicit.tlds && { tlds: [], excludedTlds: [] }),
    ...(namesPrice && { minPriceCents: null, maxPriceCents: null, currency: null }),
  };
}

/** The same without whatever depends on prices. */
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

/** Whether it excludes enough that more has to be read to find as much. */
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
