import { parseArgs } from 'node:util';
import { seedInventory } from '../../db/seeds/inventory.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { type BuyerOptions, evaluateForBuyers } from './buyer-evaluation.ts';
import { KINDS } from './buyer-queries.ts';
import { evaluate } from './evaluate.ts';
import { readLabels, SETS, type SetName } from './labels.ts';
import { printBuyerEvaluation, printEvaluation, printFailures, printInventories } from './print.ts';
import { prepareSystems } from './systems.ts';

const USAGE = `npm run eval:search -- [--final | --practice] [--seed N] [--half first|second] [--kind KIND]... [--systems ours,trigrams]
                       [--inventories] [--failures [--count 25]]
npm run eval:search -- --set tuning|held-out [--failures [--count 25]]
`;
const DEFAULT_SEED = 1;
const DEFAULT_FAILURES = '25';

interface Options {
  /** The labelled sets over the demo inventory, in place of buyers' queries over a made-up one. */
  sets: readonly SetName[];
  buyers: BuyerOptions;
  /** Ours on other inventories, side by side. */
  inventories: boolean;
  failures: number;
}

/** @throws Error when the options do not fit; the worst of the held-out queries are nobody's to see */
function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      set: { type: 'string', multiple: true, default: [] },
      final: { type: 'boolean', default: false },
      practice: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(DEFAULT_SEED) },
      half: { type: 'string' },
      kind: { type: 'string', multiple: true },
      systems: { type: 'string' },
      inventories: { type: 'boolean', default: false },
      failures: { type: 'boolean', default: false },
      count: { type: 'string', default: DEFAULT_FAILURES },
    },
  });
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed takes a whole number`);
  if (values.final && values.practice) throw new Error('--final and --practice are other queries');
  if (values.failures && (values.final || values.set.includes('held-out'))) {
    throw new Error('--failures is refused for held-out queries: they stay unseen by who tunes');
  }
  return {
    sets: values.set.map((set) => oneOf(set, SETS)),
    buyers: {
      seed,
      half:
        values.half === undefined ? undefined : oneOf(values.half, ['first', 'second'] as const),
      heldOut: values.final,
      practice: values.practice,
      kinds: values.kind?.map((kind) => oneOf(kind, KINDS)),
      systems: values.systems?.split(','),
    },
    inventories: values.inventories,
    failures: values.failures ? Number(values.count) : 0,
  };
}

function oneOf<T extends string>(value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new Error(`${value} is none of ${allowed.join(', ')}`);
  return found;
}

async function main({ sets, buyers, inventories, failures }: Options): Promise<void> {
  if (sets.length > 0) return runLabelledSets(sets, failures);
  if (inventories) return compareInventories(buyers);
  const result = await evaluateForBuyers(buyers);
  printBuyerEvaluation(
    buyers.practice ? 'for practice' : buyers.heldOut ? 'held out' : 'for tuning',
    result,
  );
  if (failures > 0) printFailures(result.evaluation, failures);
}

/** Another seed makes other names of the same words; the halves share no word of a trade. */
async function compareInventories(buyers: BuyerOptions): Promise<void> {
  const { seed } = buyers;
  const inventories: { name: string; options: Pick<BuyerOptions, 'seed' | 'half'> }[] = [
    { name: `seed ${seed}`, options: { seed } },
    { name: `seed ${seed + 1}`, options: { seed: seed + 1 } },
    { name: 'first half', options: { seed, half: 'first' } },
    { name: 'second half', options: { seed, half: 'second' } },
  ];
  const results = [];
  for (const { name, options } of inventories) {
    results.push({ name, result: await evaluateForBuyers({ ...buyers, ...options, systems: [] }) });
  }
  printInventories(results);
}

async function runLabelledSets(sets: readonly SetName[], failures: number): Promise<void> {
  const runtime = await createTestRuntime();
  try {
    await seedInventory(runtime);
    const systems = await prepareSystems(runtime);
    for (const set of sets) {
      const evaluation = await evaluate(systems, readLabels(set));
      printEvaluation(set, evaluation);
      if (failures > 0) printFailures(evaluation, failures);
    }
  } finally {
    await runtime.stop();
  }
}

let options: Options;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  process.exit(2);
}
await main(options);
