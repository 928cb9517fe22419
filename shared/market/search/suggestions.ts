import { isDeepStrictEqual } from 'node:util';
import { toCandidateFilter } from './candidate-filter.ts';
import { businessKinds } from './kinds/kinds.ts';
import { nearestKinds } from './kinds/likely-kinds.ts';
import { correctSpelling } from './parse-query.ts';
import {
  interpretSearch,
  readTopic,
  type SearchDeps,
  type SearchInput,
  searchListings,
} from './search-listings.ts';
import {
  hasLimits,
  NO_LIMITS,
  type QueryInterpretation,
  type QueryLimits,
} from './understanding/interpretation.ts';
import { writeQuery } from './write-query.ts';

export const SUGGESTION_KINDS = [
  'spelling',
  'without_limit',
  'without_limits',
  'near_topic',
] as const;

/** The limits in a query, most frequent cause of empty results first. */
const LIMITS = {
  price: ['minPriceCents', 'maxPriceCents', 'currency'],
  suffix: ['tlds', 'excludedTlds'],
  length: ['minLength', 'maxLength'],
  letters: [
    'startsWith',
    'endsWith',
    'contains',
    'notStartsWith',
    'notEndsWith',
    'noHyphens',
    'noDigits',
    'withHyphens',
    'withDigits',
    'onlyDigits',
  ],
  words: ['words'],
  exclusion: ['excluded'],
} as const satisfies Readonly<Record<string, readonly (keyof QueryLimits)[]>>;
type SuggestedLimit = keyof typeof LIMITS;
export const SUGGESTED_LIMITS = Object.keys(LIMITS) as readonly SuggestedLimit[];

/** Another search with results. */
export interface Suggestion {
  kind: (typeof SUGGESTION_KINDS)[number];
  /** Can be searched as it is, with the same filters. */
  query: string;
  /** The limit it drops. */
  limit?: SuggestedLimit;
  /** The two limits it drops. */
  limits?: SuggestedLimit[];
  /** The number of names it finds, up to a search's maximum. */
  count: number;
}

const MOST = 3;
const MOST_SEARCHES = 5;
const MOST_OF_A_KIND = 3;
/** The maximum length of a query that callers may send. */
const LONGEST_QUERY = 500;
/** The score from which a query is not about any business. */
const OFF_TOPIC = 0.15;
/** The nearness from which a kind of business counts as near. */
const NEAR = 0.6;

/**
 * Suggests searches with results for one without: with corrected spelling, without one limit, for a nearby kind of
 * business, or without two limits if no single one was the cause. Each was run with the filters of `input`; at most
 * three, and none for nonsense.
 */
export async function suggestSearches(
  { db, clock, embeddings }: SearchDeps,
  input: SearchInput,
): Promise<Suggestion[]> {
  const asked = interpretSearch(input);
  const limits = limitsIn(asked);
  const corrected = correctSpelling(asked.topic);
  const others: OtherSearch[] = [
    ...(corrected === null
      ? []
      : [{ kind: 'spelling', asks: { ...asked, topic: corrected } } as const]),
    ...limits.map((limit) => ({
      kind: 'without_limit' as const,
      limit,
      asks: without(asked, [limit]),
    })),
    ...(await nearTopics(embeddings, asked.topic)).map(
      (topic) => ({ kind: 'near_topic', asks: { ...asked, topic } }) as const,
    ),
  ];
  const tried = async (searches: readonly OtherSearch[]): Promise<Suggestion[]> => {
    const counted = await Promise.all(
      searches
        .flatMap(({ asks, ...other }) => {
          const query = writeQuery(asks);
          return isReadAs(input, query, asks) ? [{ ...other, query }] : [];
        })
        .slice(0, MOST_SEARCHES)
        .map(async (other) => {
          const { query } = other;
          const found = await searchListings({ db, clock, embeddings }, { ...input, query });
          return { ...other, count: found.length };
        }),
    );
    return counted.filter(({ count }) => count > 0);
  };
  const found = await tried(others);
  const isOneEnough = found.some(({ kind }) => kind === 'without_limit');
  const pairs = isOneEnough ? [] : await tried(withoutTwo(asked, limits));
  return [...found, ...pairs].slice(0, MOST);
}

/** A search that may have results. */
type OtherSearch = Omit<Suggestion, 'query' | 'count'> & { asks: QueryInterpretation };

/** Returns the limits that can be dropped, at most three. */
function limitsIn(asked: QueryInterpretation): SuggestedLimit[] {
  return SUGGESTED_LIMITS.filter(
    (limit) => !isDeepStrictEqual(without(asked, [limit]), asked),
  ).slice(0, MOST_OF_A_KIND);
}

function withoutTwo(asked: QueryInterpretation, limits: readonly SuggestedLimit[]): OtherSearch[] {
  return limits.flatMap((one, at) =>
    limits.slice(at + 1).map((other) => ({
      kind: 'without_limits' as const,
      limits: [one, other],
      asks: without(asked, [one, other]),
    })),
  );
}

/** Returns the query without some of its limits. */
function without(
  asked: QueryInterpretation,
  limits: readonly SuggestedLimit[],
): QueryInterpretation {
  const keys: readonly (keyof QueryLimits)[] = limits.flatMap((limit) => LIMITS[limit]);
  return { ...asked, ...Object.fromEntries(keys.map((key) => [key, NO_LIMITS[key]])) };
}

/** Returns whether a caller may send the query and it is understood as intended. */
function isReadAs(input: SearchInput, query: string, asks: QueryInterpretation): boolean {
  if (query === '' || query === input.query || query.length > LONGEST_QUERY) return false;
  const limitsOf = (of: QueryInterpretation) => [toCandidateFilter(of, {}), of.excluded];
  const read = interpretSearch({ ...input, query });
  return !hasLimits(asks) || isDeepStrictEqual(limitsOf(read), limitsOf(asks));
}

/** Returns the names of the kinds of business nearest to a topic in meaning. */
async function nearTopics(embeddings: SearchDeps['embeddings'], topic: string): Promise<string[]> {
  const { query, place, offTopic } = await readTopic({ embeddings }, topic);
  const isGibberish = query.words.every(({ unknown }) => unknown);
  if (!place?.vector || isGibberish || offTopic > OFF_TOPIC) return [];
  const near = [...nearestKinds(place.vector)].filter(([, nearness]) => nearness >= NEAR);
  return near.slice(0, MOST_OF_A_KIND).map(([kind]) => businessKinds().nameOf(kind));
}
