import { LRUCache } from 'lru-cache';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Cents } from '../../platform/money.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { type BestNamesPlan, planBestNames } from './best-names-plan.ts';
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
import { wordsOf } from './language/text-analysis.ts';
import { FEATURES, type Feature } from './learned-weights.ts';
import { correctSpelling, parseQuery } from './parse-query.ts';
import { type Ranked, type ReadTopic, rank, type ScoreExplanation } from './scorer.ts';
import { type Candidate, readBestNames, readCandidates } from './search.store.ts';
import { NAME_SHAPES } from './search-document.ts';
import type { SearchPart } from './search-parts.ts';
import { readInTurn } from './search-turns.ts';
import { termStatistics } from './term-statistics.ts';
import { hasLimits, type QueryInterpretation } from './understanding/interpretation.ts';
import { understandQuery } from './understanding/understand-query.ts';
import {
  scoreOfFreeBrand,
  scoreWithoutTopic,
  wantsAnyBrand,
  wishScores,
  withWishes,
} from './wish-score.ts';

/** The most results a search ever gives: there is no walking through the inventory by searching. */
const MAX_RESULTS = 5;

/** The filters that it names win over what the words of the query say of the same. */
export interface SearchInput extends ExplicitFilter {
  environment: Environment;
  query: string;
  /** The caller may not see prices, so words about prices neither filter nor order: who asks often would learn them. */
  hidePrices?: boolean | undefined;
  limit?: number | undefined;
  /** What to leave out of the search, to see what it is worth. */
  without?: readonly SearchPart[] | undefined;
  /** Tell the reason of each score. */
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
  /** Why it has this score, when that was asked for. */
  reason?: ScoreExplanation;
}

/** What a search works with. */
export interface SearchDeps {
  db: Database;
  clock: Clock;
  embeddings?: SearchModel | undefined;
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
      floorPriceCents: candidate.floorPriceCents,
      currency: candidate.currency,
      offersAccepted: candidate.offersAccepted,
      category: candidate.category,
      score,
      ...(input.explain && { reason }),
    }));
}

/** How the words of a search are understood, less what its filters say instead and what the caller may not ask. */
export function interpretSearch(
  input: Pick<SearchInput, 'query' | 'hidePrices' | keyof ExplicitFilter>,
): QueryInterpretation {
  const asked = limitsInForce(understandQuery(input.query), input);
  return input.hidePrices ? withoutPrices(asked) : asked;
}

/**
 * The topic with its spelling corrected, as names were found by it; null when nothing was misspelled or found, or when
 * it is the very name of one.
 */
export function correctionOf(topic: string, found: readonly SearchResult[]): string | null {
  const label = wordsOf(topic).join('');
  const isName = found.some(
    ({ domainUnicode }) => wordsOf(domainUnicode.split('.')[0] ?? '').join('') === label,
  );
  return found.length === 0 || isName ? null : correctSpelling(topic);
}

/**
 * All listed domains that answer a query, best first, a few hundred at most. What its words ask of a name is
 * enforced; a topic is searched by label, words, meaning and spelling in one SQL statement, then reranked and cut
 * at a threshold; an embedding model, where one is configured, finds names too, and puts all into the last order; without a topic the
 * best names that pass are found. Names that a quote holds are left out. Takes any text.
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
    const [ofTopic, free] = await Promise.all([
      rankTopic(runtime, input, asked, filter),
      wantsAnyBrand(asked.wishes) ? freeBrands(runtime, input.environment, asked, filter) : [],
    ]);
    ranked = withFreeBrands(ofTopic, free);
  }
  if (ranked.length === 0 && needsNoTopic(asked)) {
    ranked = await rankBestNames(runtime, input.environment, asked, filter);
  }
  ended?.({ result: ranked.length > 0 ? 'found' : 'nothing' });
  return ranked;
}

/** Made-up names say nothing of what they are for, and a topic such as "elegant" may be all wish. */
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

/** Topics as they were read, by their texts: what was asked before costs no more than its names. */
const remembered = new LRUCache<string, ReadTopic>({ max: 2_000 });

/** Reads a topic: its words at once, and what it means with a model, if there is one in time. */
export async function readTopic(
  { embeddings }: Pick<SearchDeps, 'embeddings'>,
  text: string,
  without: readonly SearchPart[] = [],
): Promise<ReadTopic> {
  const query = parseQuery(text, without);
  const english = query.translated
    ? query.words.map(({ word, repairs }) => repairs[0]?.word ?? word).join(' ')
    : (correctSpelling(text) ?? text);
  const place = without.includes('encoder')
    ? null
    : ((await embeddings?.placeOf({ asked: text, english })) ?? null);
  const known = remembered.get(text);
  if (known?.query === query && known.place === place) return known;
  const kinds = without.includes('kinds of business')
    ? []
    : likelyKinds(query, place?.vector ?? null);
  const topic = { query, kinds, place, nearness: place?.nearness(kinds) ?? null };
  if (without.length === 0) remembered.set(text, topic);
  return topic;
}

/** The names that may answer a topic, found in one SQL statement. */
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

/** Reorders what fits by what is wished of it. */
function orderByWishes(
  ranked: readonly Ranked[],
  asked: Pick<QueryInterpretation, 'wishes' | 'style'>,
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

/** Made-up names that are as wished, for whatever they are to be. */
async function freeBrands(
  runtime: SearchDeps,
  environment: Environment,
  asked: QueryInterpretation,
  filter: CandidateFilter,
): Promise<readonly Ranked[]> {
  const plan = planBestNames(asked, filter, [NAME_SHAPES.coined]);
  const candidates = await bestNames(runtime, environment, asked, plan, filter);
  const scores = wishScores(candidates, asked);
  return candidates.flatMap((candidate) => {
    const score = scoreOfFreeBrand(candidate, scores.get(candidate) ?? 0);
    return score === null ? [] : [{ ...toRanked(candidate, 0), score: rounded(score) }];
  });
}

/** Behind names of the topic; alone they would answer any nonsense. */
function withFreeBrands(ofTopic: readonly Ranked[], free: readonly Ranked[]): readonly Ranked[] {
  const last = ofTopic.at(-1)?.score;
  if (last === undefined) return ofTopic;
  const found = new Set(ofTopic.map(({ candidate }) => candidate.listingId));
  const others = free.filter(({ candidate }) => !found.has(candidate.listingId)).sort(bestFirst);
  return [...ofTopic, ...others.map((each) => ({ ...each, score: Math.min(each.score, last) }))];
}

/** For a query without a topic: good names that pass the filter and have what is wished. */
async function rankBestNames(
  runtime: SearchDeps,
  environment: Environment,
  asked: QueryInterpretation,
  filter: CandidateFilter,
): Promise<readonly Ranked[]> {
  const plan = planBestNames(asked, filter);
  const candidates = await bestNames(runtime, environment, asked, plan, filter);
  const scores = wishScores(candidates, asked);
  return candidates
    .map((candidate) => toRanked(candidate, scores.get(candidate) ?? 0))
    .sort(bestFirst);
}

async function bestNames(
  runtime: SearchDeps,
  environment: Environment,
  { excluded }: QueryInterpretation,
  plan: BestNamesPlan,
  filter: CandidateFilter,
): Promise<readonly Candidate[]> {
  const names = await readInTurn(runtime.db, async (sql) => {
    const found = await readBestNames(sql, environment, plan, filter, runtime.clock.now());
    return readNames(runtime.db, sql, { environment, found, model: null });
  });
  return withoutExcluded(names, excluded, null);
}

/** Nothing was asked that a name could be about, so its quality and the wishes are all there is to judge by. */
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
