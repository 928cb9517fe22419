import { type Static, Type } from 'typebox';
import { parseTld, searchTextOf } from '../../shared/market/names/domain-name.ts';
import { EXACTNESSES, type ScoreExplanation } from '../../shared/market/search/scorer.ts';
import {
  correctionOf,
  interpretSearch,
  type SearchResult,
  searchListings,
} from '../../shared/market/search/search-listings.ts';
import {
  SUGGESTED_LIMITS,
  SUGGESTION_KINDS,
  type Suggestion,
  suggestSearches,
} from '../../shared/market/search/suggestions.ts';
import {
  type QueryInterpretation,
  WISHES,
} from '../../shared/market/search/understanding/interpretation.ts';
import { type FieldError, invalid } from '../../shared/platform/errors.ts';
import { nullable } from '../http/common-schemas.ts';
import { reply } from '../http/reply.ts';
import { Cents, Domain } from './listing-schemas.ts';
import { partnerRoute } from './partner-route.ts';

const SearchQuery = Type.Object({
  q: Type.String({
    maxLength: 4_096,
    description:
      'What the name is for, or a name, with any wishes and limits in plain words. 1 to 500 characters after trimming.',
  }),
  tld: Type.Optional(
    Type.String({ maxLength: 1_024, description: 'Only these suffixes, comma-separated.' }),
  ),
  min_price_cents: Type.Optional(Type.Integer({ minimum: 0 })),
  max_price_cents: Type.Optional(Type.Integer({ minimum: 0 })),
  explain: Type.Optional(
    Type.Boolean({ description: 'Explain the score of each result. SANDBOX only.' }),
  ),
});

const Share = Type.Number({ minimum: 0, maximum: 1 });

/** The reasons for a result's score: what `explain=true` adds. */
const Explanation = Type.Object(
  {
    exact: nullable(Type.Enum([...EXACTNESSES])),
    coverage: Share,
    precision: Share,
    order: Share,
    agreement: Share,
    meaning: Share,
    quality: Share,
    words: Type.Array(
      Type.Object({
        asked: Type.String(),
        met_by: nullable(Type.String()),
        where: nullable(Type.Enum(['label', 'tld', 'tags', 'about'])),
        worth: Share,
      }),
    ),
  },
  { description: 'How the score was calculated. Only with `explain=true`.' },
);

const Bound = nullable(Type.Integer({ minimum: 0 }));

/** The limits understood from the words of `q`; returned because they are enforced. */
const Interpreted = Type.Object(
  {
    topic: Type.String({ description: 'The part of `q` that is searched by words and meaning.' }),
    tlds: Type.Array(Type.String(), { description: 'Only these suffixes.' }),
    excluded_tlds: Type.Array(Type.String(), { description: 'None of these suffixes.' }),
    min_price_cents: Bound,
    max_price_cents: Bound,
    currency: nullable(
      Type.String({
        description:
          'The currency in the query. Amounts are compared as numbers, without conversion.',
      }),
    ),
    min_length: Bound,
    max_length: Bound,
    starts_with: nullable(Type.String()),
    ends_with: nullable(Type.String()),
    contains: Type.Array(Type.String()),
    no_hyphens: Type.Boolean(),
    no_digits: Type.Boolean(),
    with_hyphens: Type.Boolean(),
    with_digits: Type.Boolean({ description: 'At least one digit.' }),
    only_digits: Type.Boolean({ description: 'Only digits.' }),
    pattern: nullable(
      Type.String({
        description:
          'The pattern of letters and digits: `CVCV` (consonants, vowels), `LLNN` (letters, digits), `ABBA`, `b??`, `palindrome`. Separate several patterns with commas.',
      }),
    ),
    not_starts_with: Type.Array(Type.String(), {
      description: 'Compared without hyphens and accents, as `starts_with` is.',
    }),
    not_ends_with: Type.Array(Type.String()),
    words: nullable(Type.Integer({ minimum: 1, description: 'The number of words in the name.' })),
    excluded: Type.Array(Type.String(), { description: 'Excludes names about any of these.' }),
    wishes: Type.Array(Type.Enum([...WISHES]), {
      description:
        'The wished style of the names. Wishes change the order, and made-up names with that style may follow the matching names.',
    }),
    corrected: nullable(Type.String({ description: 'The topic with corrected spelling.' })),
  },
  {
    title: 'InterpretedQuery',
    description:
      'The limits understood from `q`, which are enforced. Limits overridden by a filter parameter are omitted.',
  },
);

const Suggested = Type.Object(
  {
    kind: Type.Enum([...SUGGESTION_KINDS], {
      description:
        'The topic with corrected spelling, the query without one limit (or without two, if dropping one is not enough), or a related kind of business.',
    }),
    query: Type.String({ description: 'Send this as `q`, with the same filters.' }),
    limit: Type.Optional(
      Type.Enum([...SUGGESTED_LIMITS], { description: 'The limit dropped from `query`.' }),
    ),
    limits: Type.Optional(
      Type.Array(Type.Enum([...SUGGESTED_LIMITS]), {
        description: 'The two limits dropped from `query`.',
      }),
    ),
    count: Type.Integer({ minimum: 1, maximum: 5, description: 'The number of results.' }),
  },
  { title: 'SearchSuggestion' },
);

const SearchAnswer = Type.Object(
  {
    query: Type.String(),
    interpreted: Interpreted,
    count: Type.Integer({ minimum: 0, maximum: 5 }),
    results: Type.Array(
      Type.Object(
        {
          domain: Domain,
          domain_unicode: Type.String(),
          tld: Type.String(),
          price_cents: Cents,
          floor_price_cents: nullable(Cents),
          currency: Type.String(),
          offers_accepted: Type.Boolean(),
          category: nullable(Type.String()),
          score: Share,
          explanation: Type.Optional(Explanation),
        },
        { title: 'SearchResult', description: 'A matching domain and its price.' },
      ),
      { maxItems: 5 },
    ),
    suggestions: Type.Array(Suggested, {
      maxItems: 3,
      description: 'If nothing was found, other searches that return results.',
    }),
  },
  { title: 'SearchResults', description: 'The relevant domains, best first.' },
);

const MIN_QUERY = 1;
const MAX_QUERY = 500;
const MAX_TLDS = 50;

/** `GET /domains/search`: finds at most five relevant domains. */
export const searchDomainsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/domains/search',
  operationId: 'searchDomains',
  summary: 'Search the inventory by meaning, keyword or name.',
  description:
    'At most five results, best first. Limits in words ("under $500", ".io", "max 6 letters") are enforced and listed in `interpreted`. Domains held by a quote are omitted.',
  scopes: ['search'],
  limit: 'search',
  query: SearchQuery,
  responses: { 200: SearchAnswer },
  async handler(context, { caller, query }) {
    const faults: FieldError[] = [];
    const text = query.q.trim();
    const length = Array.from(text).length;
    if (length < MIN_QUERY || length > MAX_QUERY) {
      faults.push({ path: '/q', message: `must have ${MIN_QUERY} to ${MAX_QUERY} characters` });
    }
    if ((query.min_price_cents ?? 0) > (query.max_price_cents ?? Number.POSITIVE_INFINITY)) {
      faults.push({ path: '/min_price_cents', message: 'must not be above max_price_cents' });
    }
    // Explanations are for development; in LIVE they would show sellers how to game the ranking.
    if (query.explain && caller.environment !== 'SANDBOX') {
      faults.push({ path: '/explain', message: 'is only available in SANDBOX' });
    }
    const tlds = query.tld === undefined ? undefined : readTlds(query.tld, faults);
    if (faults.length > 0) throw invalid(faults);

    const input = {
      environment: caller.environment,
      query: searchTextOf(text),
      tlds,
      minPriceCents: query.min_price_cents,
      maxPriceCents: query.max_price_cents,
      explain: query.explain,
    };
    const results = await searchListings(context, input);
    // With filters, the filters may be why a result is empty, rather than the words.
    const isNarrowed = [tlds, input.minPriceCents, input.maxPriceCents].some(
      (each) => each !== undefined,
    );
    if (results.length === 0 && !isNarrowed) context.searchMisses.count(caller.environment, text);
    const suggestions = results.length > 0 ? [] : await suggestSearches(context, input);
    return reply(200, searchView(text, interpretSearch(input), results, suggestions));
  },
});

function readTlds(text: string, faults: FieldError[]): string[] {
  const given = text.split(',');
  if (given.length > MAX_TLDS) {
    faults.push({ path: '/tld', message: `must name at most ${MAX_TLDS} suffixes` });
    return [];
  }
  return given.flatMap((one) => {
    const tld = parseTld(one);
    if (tld !== undefined) return [tld];
    faults.push({ path: '/tld', message: `must be suffixes such as com,co.uk: ${one} is none` });
    return [];
  });
}

function searchView(
  query: string,
  interpretation: QueryInterpretation,
  results: SearchResult[],
  suggestions: Suggestion[],
): Static<typeof SearchAnswer> {
  return {
    query,
    interpreted: interpretationView(interpretation, correctionOf(interpretation.topic, results)),
    count: results.length,
    results: results.map((result) => ({
      domain: result.domain,
      domain_unicode: result.domainUnicode,
      tld: result.tld,
      price_cents: result.priceCents,
      floor_price_cents: result.floorPriceCents,
      currency: result.currency,
      offers_accepted: result.offersAccepted,
      category: result.category,
      score: result.score,
      ...(result.reason && { explanation: explanationView(result.reason) }),
    })),
    suggestions,
  };
}

function interpretationView(
  asked: QueryInterpretation,
  corrected: string | null,
): Static<typeof Interpreted> {
  return {
    topic: asked.topic,
    tlds: [...asked.tlds],
    excluded_tlds: [...asked.excludedTlds],
    min_price_cents: asked.minPriceCents,
    max_price_cents: asked.maxPriceCents,
    currency: asked.currency,
    min_length: asked.minLength,
    max_length: asked.maxLength,
    starts_with: asked.startsWith,
    ends_with: asked.endsWith,
    contains: [...asked.contains],
    no_hyphens: asked.noHyphens,
    no_digits: asked.noDigits,
    with_hyphens: asked.withHyphens,
    with_digits: asked.withDigits,
    only_digits: asked.onlyDigits,
    pattern: asked.patterns.map(({ name }) => name).join(', ') || null,
    not_starts_with: [...asked.notStartsWith],
    not_ends_with: [...asked.notEndsWith],
    words: asked.words,
    excluded: [...asked.excluded],
    wishes: [...asked.wishes],
    corrected,
  };
}

function explanationView({ exact, features, met }: ScoreExplanation) {
  const { coverage, precision, order, agreement, meaning, quality } = features;
  return {
    exact,
    coverage: rounded(coverage),
    precision: rounded(precision),
    order,
    agreement,
    meaning: rounded(meaning),
    quality,
    words: met.map(({ asked, by, where, worth }) => ({
      asked,
      met_by: by,
      where,
      worth: rounded(worth),
    })),
  };
}

function rounded(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}
