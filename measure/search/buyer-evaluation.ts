import { seedTlds } from '../../db/seeds/tlds.ts';
import { addListings } from '../../shared/market/inventory/import-listings.ts';
import type { ListingInput } from '../../shared/market/inventory/listing.ts';
import {
  createEmbeddings,
  type Embeddings,
} from '../../shared/market/search/embeddings/embeddings.ts';
import { listEmojiTlds } from '../../shared/market/tlds/tld-catalogue.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { readQueries } from './buyer-queries.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import { type Failure, readFailures } from './failures.ts';
import { isListable, readInventory } from './inventory.ts';
import { createJudge } from './judge.ts';
import type { LabelledQuery, SetName } from './labels.ts';
import { ENVIRONMENT, prepareSystems } from './systems.ts';
import { readVocabulary } from './vocabulary.ts';

export interface BuyerOptions {
  /** Which queries to run: those for tuning, the held-out third, or both. */
  sets: readonly SetName[];
  /** Defaults to all. */
  kinds?: readonly string[] | undefined;
  /** Which systems to compare with ours; defaults to all baselines. */
  systems?: readonly string[] | undefined;
}

export interface BuyerEvaluation {
  listings: number;
  /** How many of them have neither keywords nor a description. */
  bareListings: number;
  /** Names that the marketplace doesn't accept. */
  refused: readonly string[];
  sets: Partial<Record<SetName, EvaluatedSet>>;
  /** The worst answered tuning queries; held-out ones stay unseen. */
  failures: readonly Failure[];
}

interface EvaluatedSet {
  evaluation: Evaluation;
  /** Queries that were left out because nothing good is listed for them. */
  unanswerable: string[];
}

/** The time limit for encoding all names of the inventory. */
export const ENCODING_MS = 10 * MINUTE;
/** Each search waits for its encoder, so that the figures don't depend on the speed of the machine. */
export const PATIENT = JSON.stringify({ embeddingsBudgetMs: MINUTE });

type BuyerLabel = LabelledQuery & { answerable: boolean };

/** A runtime whose search has an encoder. */
export type SearchRuntime = TestRuntime & { embeddings: Embeddings };

/** Lists the names in a new database, and runs `work` there. */
export async function withNames<T>(
  kinds: readonly string[] | undefined,
  work: (names: {
    runtime: SearchRuntime;
    listings: readonly ListingInput[];
    refused: readonly string[];
    /** Returns the graded queries of a set, and those left out because nothing good is listed for them. */
    labelsOf(set: SetName): { labels: BuyerLabel[]; unanswerable: BuyerLabel[] };
  }) => Promise<T>,
): Promise<T> {
  const vocabulary = readVocabulary();
  const named = readInventory(vocabulary);
  const runtime = await createTestRuntime({ SEARCH_ENCODER: 'on', TUNING: PATIENT });
  const embeddings = createEmbeddings(runtime);
  try {
    await seedTlds(runtime);
    const emojiTlds = await listEmojiTlds(runtime);
    const items = named.filter((item) => isListable(item, emojiTlds));
    const judge = createJudge(items, vocabulary);
    const queries = readQueries(vocabulary, items).filter(
      ({ kind }) => kinds?.includes(kind) ?? true,
    );
    if (queries.length === 0) throw new Error(`there is no query of ${kinds?.join(', ')}`);
    const listings = items.map(({ listing }) => listing);
    await addListings(runtime, { environment: ENVIRONMENT, listings });
    while ((await embeddings.refresh(AbortSignal.timeout(ENCODING_MS)))?.embedded);
    return await work({
      runtime: { ...runtime, embeddings },
      listings,
      refused: named.filter((item) => !items.includes(item)).map(({ domain }) => domain),
      labelsOf(set) {
        const asked = queries
          .filter(({ heldOut }) => heldOut === (set === 'held-out'))
          .map(({ query, kind, need }) => ({
            query,
            kind,
            grades: judge.judge(need),
            outOfInventory: need.outOfInventory,
            answerable: !need.silence && !need.outOfInventory,
          }));
        const unanswerable = asked.filter((label) => label.answerable && !hasGood(label));
        return { labels: asked.filter((label) => !unanswerable.includes(label)), unanswerable };
      },
    });
  } finally {
    await embeddings.close();
    await runtime.stop();
  }
}

/** Runs the queries and judges the results. */
export function evaluateForBuyers(options: BuyerOptions): Promise<BuyerEvaluation> {
  return withNames(options.kinds, async ({ runtime, listings, refused, labelsOf }) => {
    const systems = await prepareSystems(runtime, options.systems);
    const sets: BuyerEvaluation['sets'] = {};
    for (const set of options.sets) {
      const { labels, unanswerable } = labelsOf(set);
      sets[set] = {
        evaluation: await evaluate(systems, labels),
        unanswerable: unanswerable.map(({ kind, query }) => `${query} (${kind})`),
      };
    }
    const tuning = sets.tuning?.evaluation.ours ?? [];
    return {
      failures: await readFailures(runtime, tuning),
      listings: listings.length,
      bareListings: listings.filter(({ keywords, description }) => !keywords && !description)
        .length,
      refused,
      sets,
    };
  });
}

function hasGood({ grades }: Pick<LabelledQuery, 'grades'>): boolean {
  return [...grades.values()].some((grade) => grade >= 2);
}
