import { addListings } from '../../shared/market/inventory/import-listings.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { type BuyerQuery, type Kind, readPractice, readQueries } from './buyer-queries.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import { createJudge } from './judge.ts';
import type { LabelledQuery } from './labels.ts';
import { type Item, makeUpInventory } from './made-up-inventory.ts';
import { ENVIRONMENT, prepareSystems } from './systems.ts';
import { halfOf, readVocabulary } from './vocabulary.ts';

export interface BuyerOptions {
  /** Of the inventory; the queries stay, but for those by exact name. */
  seed: number;
  /** One half of the trades only, with the queries for them. */
  half?: 'first' | 'second' | undefined;
  /** The held-out third in place of the rest. */
  heldOut: boolean;
  /** The queries for practice in place of those that are judged. */
  practice?: boolean | undefined;
  kinds?: readonly Kind[] | undefined;
  /** Which systems to ask beside ours; all when left out. */
  systems?: readonly string[] | undefined;
}

export interface BuyerEvaluation {
  evaluation: Evaluation;
  listings: number;
  /** Queries that were left out because this inventory has nothing good for them. */
  unanswerable: string[];
  /** What was known of a listing by who graded. */
  items: ReadonlyMap<string, Item>;
}

/** Kinds that no listing answers; each has a figure of its own. */
export const WITHOUT_ANSWER: readonly Kind[] = ['nonsense', 'out of inventory'];

/** Lists a made-up inventory in an empty database of its own, has it searched, and judges the results. */
export async function evaluateForBuyers(options: BuyerOptions): Promise<BuyerEvaluation> {
  const all = readVocabulary();
  const vocabulary = options.half ? halfOf(all, options.half) : all;
  const items = makeUpInventory(vocabulary, options.seed);
  const judge = createJudge(items, vocabulary.trades);
  const queries = options.practice ? readPractice() : readQueries(vocabulary, items, options.seed);
  const asked = queries
    .filter(({ need }) => need.trades.every((trade) => vocabulary.trades.has(trade)))
    .filter(({ heldOut }) => heldOut === options.heldOut)
    .filter(({ kind }) => options.kinds?.includes(kind) ?? true);
  const labels = asked.map((query) => toLabel(query, judge.judge(query.need)));
  const answerable = labels.filter(
    ({ kind, grades }) =>
      (WITHOUT_ANSWER as readonly string[]).includes(kind) ||
      [...grades.values()].some((grade) => grade >= 2),
  );
  const runtime = await createTestRuntime();
  try {
    const listings = items.map(({ listing }) => listing);
    await addListings(runtime, { environment: ENVIRONMENT, listings });
    const systems = await prepareSystems(runtime, options.systems);
    return {
      evaluation: await evaluate(systems, answerable),
      listings: items.length,
      unanswerable: labels.filter((label) => !answerable.includes(label)).map(({ query }) => query),
      items: new Map(items.map((item) => [item.domain, item])),
    };
  } finally {
    await runtime.stop();
  }
}

function toLabel({ query, kind }: BuyerQuery, grades: LabelledQuery['grades']): LabelledQuery {
  return { query, kind, grades };
}
