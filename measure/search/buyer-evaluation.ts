import { addListings } from '../../shared/market/inventory/import-listings.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { readQueries } from './buyer-queries.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import { isListable, readInventory } from './inventory.ts';
import { createJudge } from './judge.ts';
import type { LabelledQuery, SetName } from './labels.ts';
import { ENVIRONMENT, prepareSystems } from './systems.ts';
import { readVocabulary } from './vocabulary.ts';

export interface BuyerOptions {
  /** Which queries to ask: those for tuning, the held-out third, or both. */
  sets: readonly SetName[];
  /** All when left out. */
  kinds?: readonly string[] | undefined;
  /** Which systems to ask beside ours; all when left out. */
  systems?: readonly string[] | undefined;
}

export interface BuyerEvaluation {
  listings: number;
  /** How many of them have neither keywords nor a description. */
  bareListings: number;
  /** Names that the marketplace does not take. */
  refused: string[];
  sets: Partial<Record<SetName, EvaluatedSet>>;
}

interface EvaluatedSet {
  evaluation: Evaluation;
  /** Queries that were left out because nothing good is listed for them. */
  unanswerable: string[];
}

/** Lists the names in an empty database of its own, has them searched, and judges the results. */
export async function evaluateForBuyers(options: BuyerOptions): Promise<BuyerEvaluation> {
  const vocabulary = readVocabulary();
  const named = readInventory(vocabulary);
  const items = named.filter(isListable);
  const judge = createJudge(items, vocabulary);
  const queries = readQueries(vocabulary, items).filter(
    ({ kind }) => options.kinds?.includes(kind) ?? true,
  );
  if (queries.length === 0) throw new Error(`there is no query of ${options.kinds?.join(', ')}`);
  const runtime = await createTestRuntime();
  try {
    const listings = items.map(({ listing }) => listing);
    await addListings(runtime, { environment: ENVIRONMENT, listings });
    const systems = await prepareSystems(runtime, options.systems);
    const sets: BuyerEvaluation['sets'] = {};
    for (const set of options.sets) {
      const asked = queries.filter(({ heldOut }) => heldOut === (set === 'held-out'));
      const labels = asked.map(({ query, kind, need }) => ({
        query,
        kind,
        grades: judge.judge(need),
        outOfInventory: need.outOfInventory,
        answerable: !need.silence && !need.outOfInventory,
      }));
      const unanswerable = labels.filter((label) => label.answerable && !hasGood(label));
      const rest = labels.filter((label) => !unanswerable.includes(label));
      sets[set] = {
        evaluation: await evaluate(systems, rest),
        unanswerable: unanswerable.map(({ kind, query }) => `${query} (${kind})`),
      };
    }
    return {
      listings: listings.length,
      bareListings: listings.filter(({ keywords, description }) => !keywords && !description)
        .length,
      refused: named.filter((item) => !items.includes(item)).map(({ domain }) => domain),
      sets,
    };
  } finally {
    await runtime.stop();
  }
}

function hasGood({ grades }: Pick<LabelledQuery, 'grades'>): boolean {
  return [...grades.values()].some((grade) => grade >= 2);
}
