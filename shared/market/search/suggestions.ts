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
import { offTopic } from './topic-gate.ts';
import {
  hasLimits,
  NO_LIMITS,
  type QueryInterpretation,
  type QueryLimits,
} from './understanding/interpretation.ts';
import { writeQuery } from './write-query.ts';

export const SUGGESTION_KINDS = ['spelling', 'without_limit', 'near_topic'] as const;

/** What words limit, those first that most often leave nothing. */
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

/** Another search that finds something. */
export interface Suggestion {
  kind: (typeof SUGGESTION_KINDS)[number];
  /** Can be searched as it is, with the same filters. */
  query: string;
  /** Which limit it is without. */
  limit?: SuggestedLimit;
  /** How many names it finds, as far as a search tells. */
  count: number;
}

const MOST = 3;
const MOST_SEARCHES = 5;
const MOST_OF_A_KIND = 3;
/** Of a query as callers may send it. */
const LONGEST_QUERY = 500;
/** From so much on a query is taken for no business at all. */
const OFF_TOPIC = 0.5;
/** From so much on a kind of business is near. */
const NEAR = 0.6;

/**
 * For a search that found nothing, others that do: with its spelling corrected, without one limit of its words, or for
 * a kind of business near to it. Each was tried with the filters of `input`; at most three, and none for nonsense.
 */
export async function suggestSearches(
  { db, clock, embeddings }: SearchDeps,
  input: SearchInput,
): Promise<Suggestion[]> {
  const asked = interpretSearch(input);
  const corrected = correctSpelling(asked.topic);
  const others = [
    ...(corrected === null
      ? []
      : [{ kind: 'spelling', asks: { ...asked, topic: corrected } } as const]),
    ...withoutLimits(asked).slice(0, MOST_OF_A_KIND),
    ...(await nearTopics(embeddings, asked.topic)).map(
      (topic) => ({ kind: 'near_topic', asks: { ...asked, topic } }) as const,
    ),
  ].flatMap(({ asks, ...other }) => {
    const query = writeQuery(asks);
    return isReadAs(input, query, asks) ? [{ ...other, query }] : [];
  });
  const counted = await Promise.all(
    others.slice(0, MOST_SEARCHES).map(async (other) => {
      const { query } = other;
      const found = await searchListings({ db, clock, embeddings }, { ...input, query });
      return { ...other, count: found.length };
    }),
  );
  return counted.filter(({ count }) => count > 0).slice(0, MOST);
}

/** What is asked less each of its limits. */
function withoutLimits(asked: QueryInterpretation) {
  return SUGGESTED_LIMITS.map((limit) => {
    const none = Object.fromEntries(LIMITS[limit].map((key) => [key, NO_LIMITS[key]]));
    return { kind: 'without_limit', limit, asks: { ...asked, ...none } } as const;
  }).filter(({ asks }) => !isDeepStrictEqual(asks, asked));
}

/** Whether a caller may send it, and all that it asks is understood of it. */
function isReadAs(input: SearchInput, query: string, asks: QueryInterpretation): boolean {
  if (query === '' || query === input.query || query.length > LONGEST_QUERY) return false;
  const limitsOf = (of: QueryInterpretation) => [toCandidateFilter(of, {}), of.excluded];
  const read = interpretSearch({ ...input, query });
  return !hasLimits(asks) || isDeepStrictEqual(limitsOf(read), limitsOf(asks));
}

/** The names of the kinds of business to which a topic is nearest in meaning. */
async function nearTopics(embeddings: SearchDeps['embeddings'], topic: string): Promise<string[]> {
  const { query, place } = await readTopic({ embeddings }, topic);
  const isGibberish = query.words.every(({ unknown }) => unknown);
  if (!place?.vector || isGibberish || offTopic(place.vector) > OFF_TOPIC) return [];
  const near = [...nearestKinds(place.vector)].filter(([, nearness]) => nearness >= NEAR);
  return near.slice(0, MOST_OF_A_KIND).map(([kind]) => businessKinds().nameOf(kind));
}
