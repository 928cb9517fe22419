import { LRUCache } from 'lru-cache';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Cents } from '../../platform/money.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { planBestNames } from './best-names-plan.ts';
import {
  type CandidateFilter,
  type ExplicitFilter,
  limitsInForce,
  toCandidateFilter,
  withoutPrices,
} from './candidate-filter.ts';
import { planCandidates } from './candidate-plan.ts';
import type { SearchModel } from './embeddings/embeddings.ts';
import { withoutExcluded } from './excluded-words.ts';
import { likelyKinds } from './kinds/likely-kinds.ts';
import { readNames } from './known-names.ts';
import { foldText, isPlain, wordsOf } from './language/text-analysis.ts';
import { FEATURES, type Feature } from './learned-weights.ts';
import { offTopic } from './off-topic.ts';
import { correctSpelling, parseQuery } from './parse-query.ts';
import { type Ranked, type ReadTopic, rank, type ScoreExplanation } from './scorer.ts';
import { type Candidate, readBestNames, readCandidates } from './search.store.ts';
import type { SearchPart } from './search-parts.ts';
import { readInTurn } from './search-turns.ts';
import { termStatistics } from './term-statistics.ts';
import { hasLimits, type QueryInterpretation } from './understanding/interpretation.ts';
import { understandQuery } from './understanding/understand-query.ts';
import { scoreWithoutTopic, wishScores, withWishes } from './wish-score.ts';

/** The maximum number of results, so that nobody can list the inventory by searching. */
const MAX_RESULTS = 5;

/** Explicit filters take precedence over the same limits in the query's words. */
export interface SearchInput extends ExplicitFilter {
  environment: Environment;
  query: string;
  /** The caller may not see prices, so words about prices have no effect: repeated queries would reveal prices. */
  hidePrices?: boolean | undefined;
  limit?: number | undefined;
  /** Parts of search to turn off, to measure their value. */
  without?: readonly SearchPart[] | undefined;
  /** Include the reason of each score. */
  explain?: boolean | undefined;
}

export interface SearchResult {
  domain: string;
  domainUnicode: string;
  tld: string;
  priceCents: Cents;
  floorPriceCents: Cents | null;
  currency: string;
  offersAccepted: boolean;
  category: string | null;
  /** 0 to 1; results are sorted by it. */
  score: number;
  /** The reason for the score, if requested. */
  reason?: ScoreExplanation;
}

/** The dependencies of a search. */
export interface SearchDeps {
  db: Database;
  clock: Clock;
  embeddings?: SearchModel | undefined;
  metrics?: Pick<Metrics, 'searchSeconds'>;
}

/** Returns the best listed domains by {@link rankListings}, at most five and possibly none. */
export async function searchListings(
  runtime: SearchDeps,
  input: SearchInput,
): Promise<SearchResult[]> {
  const ranked = await rankListings(runtime, input);
  return ranked
    .slice(0, Math.min(input.limit ?? MAX_RESULTS, MAX_RESULTS))
    .map(({ candidate, score, reason }) => ({
      domain: candidate.domain,
      domainUnicode: candidate.domainUnicode,
      tld: candidate.tld,
      priceCents: candidate.priceCents,
      floorPriceCents: candidate.floorPriceCents,
      currency: candidate.currency,
      offersAccepted: candidate.offersAccepted,
      category: candidate.category,
      score,
      ...(input.explain && { reason }),
    }));
}

/** Interprets the words of a search, without limits that explicit filters replace or the caller may not use. */
export function interpretSearch(
  input: Pick<SearchInput, 'query' | 'hidePrices' | keyof ExplicitFilter>,
): QueryInterpretation {
  const asked = limitsInForce(understandQuery(input.query), input);
  return input.hidePrices ? withoutPrices(asked) : asked;
}

/**
 * Returns the topic with the corrected spelling that found names; null if nothing was misspelled or found, or if it is
 * the exact name of a result.
 */
export function correctionOf(topic: string, found: readonly SearchResult[]): string | null {
  const label = wordsOf(topic).join('');
  const isName = found.some(
    ({ domainUnicode }) => wordsOf(domainUnicode.split('.')[0] ?? '').join('') === label,
  );
  return found.length === 0 || isName ? null : correctSpelling(topic);
}

/**
 * Returns all listed domains that match a query, best first, a few hundred at most. The limits in its words are
 * enforced. A topic is searched by label, words, meaning and spelling; the names found are ranked and cut at a threshold.
 * A configured embedding model adds names and takes part in the ranking. Without a topic, the best names that pass are
 * returned. Names held by a quote are left out. Accepts any text.
 */
export async function rankListings(
  runtime: SearchDeps,
  input: Omit<SearchInput, 'limit' | 'explain'>,
): Promise<readonly Ranked[]> {
  const asked = interpretSearch(input);
  if (asked.topic === '' && !hasLimits(asked)) return [];
  const ended = runtime.metrics?.searchSeconds.startTimer();
  const filter = toCandidateFilter(asked, input);
  let ranked: readonly Ranked[] = [];
  if (asked.topic !== '') {
    ranked = await rankTopic(runtime, input, asked, filter);
  }
  if (ranked.length === 0 && needsNoTopic(asked)) {
    ranked = await rankBestNames(runtime, input.environment, asked, filter);
  }
  ended?.({ result: ranked.length > 0 ? 'found' : 'nothing' });
  return ranked;
}

/** Returns whether any name may match: made-up names have no topic, and "elegant" may be only a wish. */
export function needsNoTopic({ topic, wishes }: QueryInterpretation): boolean {
  if (topic === '' || wishes.includes('made_up')) return true;
  return understandQuery(topic).wishes.length > 0;
}

async function rankTopic(
  runtime: SearchDeps,
  input: Pick<SearchInput, 'environment' | 'without'>,
  asked: QueryInterpretation,
  filter: CandidateFilter,
): Promise<readonly Ranked[]> {
  const topic = await readTopic(runtime, asked.topic, input.without);
  if (topic.query.words.length === 0) return [];
  const candidates = await findCandidates(runtime, input.environment, topic, filter);
  const ranked = rank(topic, withoutExcluded(candidates, asked.excluded, topic.query));
  return orderByWishes(ranked, asked);
}

/** Parsed topics by text: a repeated query costs no more than reading its names. */
const remembered = new LRUCache<string, ReadTopic>({ max: 2_000 });

/** Parses a topic: its words, and its vector if a model answers in time. */
export async function readTopic(
  { embeddings }: Pick<SearchDeps, 'embeddings'>,
  text: string,
  without: readonly SearchPart[] = [],
): Promise<ReadTopic> {
  const query = parseQuery(text, without);
  const english = query.translated
    ? query.words.map(({ word, repairs }) => repairs[0]?.word ?? word).join(' ')
    : (correctSpelling(text) ?? (isPlain(text) ? text : foldText(text)));
  const place = without.includes('encoder')
    ? null
    : ((await embeddings?.placeOf({ asked: text, english })) ?? null);
  const known = remembered.get(text);
  if (known?.query === query && known.place === place) return known;
  const kinds = without.includes('kinds of business')
    ? []
    : likelyKinds(query, place?.vector ?? null);
  const topic = {
    query,
    kinds,
    place,
    nearness: place?.nearness(kinds) ?? null,
    offTopic: place?.vector ? offTopic(place.vector) : 0,
  };
  if (without.length === 0) remembered.set(text, topic);
  return topic;
}

/** Returns the names that may match a topic. One SQL statement finds them, another reads those not cached. */
export async function findCandidates(
  runtime: Pick<SearchDeps, 'db' | 'clock'>,
  environment: Environment,
  topic: ReadTopic,
  filter: CandidateFilter,
): Promise<readonly Candidate[]> {
  const statistics = await termStatistics(runtime, environment);
  const plan = planCandidates(topic, statistics, filter);
  return readInTurn(runtime.db, async (sql) => {
    const now = runtime.clock.now();
    const found = await readCandidates(sql, environment, plan, topic.place, filter, now);
    const model = topic.place?.model ?? null;
    return readNames(runtime.db, sql, { environment, found, model });
  });
}

/** Reorders matching names by the wishes. */
function orderByWishes(
  ranked: readonly Ranked[],
  asked: Pick<QueryInterpretation, 'wishes'>,
): readonly Ranked[] {
  if (asked.wishes.length === 0) return ranked;
  const scores = wishScores(
    ranked.map(({ candidate }) => candidate),
    asked,
  );
  return ranked
    .map((each) => ({
      ...each,
      score: rounded(withWishes(each.score, scores.get(each.candidate) ?? 0)),
    }))
    .sort(bestFirst);
}

/** Ranks good names that pass the filter and fulfill the wishes, for a query without a topic. */
async function rankBestNames(
  runtime: SearchDeps,
  environment: Environment,
  asked: QueryInterpretation,
  filter: CandidateFilter,
): Promise<readonly Ranked[]> {
  const plan = planBestNames(asked, filter);
  const names = await readInTurn(runtime.db, async (sql) => {
    const found = await readBestNames(sql, environment, plan, filter, runtime.clock.now());
    return readNames(runtime.db, sql, { environment, found, model: null });
  });
  const candidates = withoutExcluded(names, asked.excluded, null);
  const scores = wishScores(candidates, asked);
  return candidates
    .map((candidate) => toRanked(candidate, scores.get(candidate) ?? 0))
    .sort(bestFirst);
}

/** Without a topic, only quality and wishes decide. */
function toRanked(candidate: Candidate, wish: number): Ranked {
  const quality = candidate.quality / 100;
  return {
    candidate,
    score: rounded(scoreWithoutTopic(candidate, wish)),
    reason: { features: { ...NOTHING_MET, quality }, exact: null, met: [] },
  };
}

const NOTHING_MET = Object.fromEntries(FEATURES.map((feature) => [feature, 0])) as Record<
  Feature,
  number
>;

function bestFirst(one: Ranked, other: Ranked): number {
  return other.score - one.score || (one.candidate.domain < other.candidate.domain ? -1 : 1);
}

function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
