import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Cents } from '../../platform/money.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { planCandidates } from './candidate-plan.ts';
import type { Rescorer } from './embeddings/embeddings.ts';
import { parseQuery } from './parse-query.ts';
import { type Ranked, rerank, type ScoreExplanation } from './scorer.ts';
import { readCandidates } from './search.store.ts';
import { termStatistics } from './term-statistics.ts';

/** The most results a search ever gives: there is no walking through the inventory by searching. */
const MAX_RESULTS = 5;

export interface SearchInput {
  environment: Environment;
  query: string;
  /** A-labels, without the leading dot. */
  tlds?: string[] | undefined;
  minPriceCents?: Cents | undefined;
  maxPriceCents?: Cents | undefined;
  limit?: number | undefined;
  /** Tell the reason of each score. */
  explain?: boolean | undefined;
}

export interface SearchResult {
  domain: string;
  domainUnicode: string;
  tld: string;
  priceCents: Cents;
  currency: string;
  offersAccepted: boolean;
  category: string | null;
  /** 0 to 1; results are sorted by it. */
  score: number;
  /** Why it has this score, when that was asked for. */
  reason?: ScoreExplanation;
}

interface SearchDeps {
  db: Database;
  clock: Clock;
  embeddings?: Rescorer;
  metrics?: Pick<Metrics, 'searchSeconds'>;
}

/** The listed domains that {@link rankListings} puts first, at most five and possibly none. */
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
      currency: candidate.currency,
      offersAccepted: candidate.offersAccepted,
      category: candidate.category,
      score,
      ...(input.explain && { reason }),
    }));
}

/**
 * All listed domains that answer a query, best first, a few hundred at most: candidates from label, words,
 * meaning and spelling in one SQL statement, then reranked and cut at a threshold, and put into their last
 * order by an embedding model where one is configured. Names that a quote holds are left out. Takes any text.
 */
export async function rankListings(
  runtime: SearchDeps,
  input: Omit<SearchInput, 'limit' | 'explain'>,
): Promise<readonly Ranked[]> {
  const query = parseQuery(input.query);
  if (query.words.length === 0) return [];
  const ended = runtime.metrics?.searchSeconds.startTimer();
  const statistics = await termStatistics(runtime, input.environment);
  const { tlds, minPriceCents, maxPriceCents } = input;
  const byPrice = minPriceCents !== undefined || maxPriceCents !== undefined;
  const plan = planCandidates(query, statistics, { tlds, byPrice });
  const filter = { tlds, minPriceCents, maxPriceCents };
  const candidates = await runtime.db.read((sql) =>
    readCandidates(sql, input.environment, plan, filter, runtime.clock.now()),
  );
  const ranked = rerank(query, candidates);
  const ordered = (await runtime.embeddings?.rescore(input.query, ranked)) ?? ranked;
  ended?.({ result: ordered.length > 0 ? 'found' : 'nothing' });
  return ordered;
}
