import { parseArgs } from 'node:util';
import { seedInventory } from '../../db/seeds/inventory.ts';
import { createEmbeddings } from '../../shared/market/search/embeddings/embeddings.ts';
import { createTestRuntime } from '../../test/support/runtime.ts';
import {
  type BuyerOptions,
  ENCODING_MS,
  evaluateForBuyers,
  PATIENT,
  withNames,
} from './buyer-evaluation.ts';
import { evaluate } from './evaluate.ts';
import { readLabels, SETS, type SetName } from './labels.ts';
import { printBuyerEvaluation, printEvaluation, printFailures } from './print.ts';
import { ENVIRONMENT, prepareSystems, SYSTEM_NAMES } from './systems.ts';
import { learnRanking } from './train.ts';
import { writeFigures } from './write-figures.ts';

const USAGE = `npm run eval:search -- [--final | --write] [--kind KIND]... [--systems NAME,NAME] [--failures [--count 25]]
npm run eval:search -- --train
npm run eval:search -- --set tuning|held-out [--systems NAME,NAME] [--failures [--count 25]]
systems: ${SYSTEM_NAMES.join(', ')}
`;
const DEFAULT_FAILURES = '25';

interface Options {
  /** The labelled sets to run over the demo inventory, instead of buyers' queries. */
  labelled: readonly SetName[];
  buyers: BuyerOptions;
  /** Write the figures to the documentation. */
  write: boolean;
  /** Retrain the ranking on the tuning queries. */
  train: boolean;
  failures: number;
}

/** @throws Error for invalid options, such as failures of held-out queries, which must stay unseen */
function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      set: { type: 'string', multiple: true, default: [] },
      final: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      train: { type: 'boolean', default: false },
      kind: { type: 'string', multiple: true },
      systems: { type: 'string' },
      failures: { type: 'boolean', default: false },
      count: { type: 'string', default: DEFAULT_FAILURES },
    },
  });
  const { final, write } = values;
  if (write && (values.kind || values.systems)) {
    throw new Error('--write needs all kinds and systems');
  }
  if (values.failures && (final || write || values.set.includes('held-out'))) {
    throw new Error('--failures is refused for held-out queries: they stay unseen by who tunes');
  }
  return {
    labelled: values.set.map((set) => oneOf(set, SETS)),
    buyers: {
      sets: write ? SETS : final ? ['held-out'] : ['tuning'],
      kinds: values.kind,
      systems: values.systems?.split(',').map((name) => oneOf(name, SYSTEM_NAMES)),
    },
    write,
    train: values.train,
    failures: values.failures ? Number(values.count) : 0,
  };
}

function oneOf<T extends string>(value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new Error(`${value} is none of ${allowed.join(', ')}`);
  return found;
}

async function main({ labelled, buyers, write, train, failures }: Options): Promise<void> {
  if (train) {
    return withNames(undefined, ({ runtime, labelsOf }) =>
      learnRanking(runtime, labelsOf('tuning').labels),
    );
  }
  if (labelled.length > 0) return runLabelledSets(labelled, buyers.systems, failures);
  const result = await evaluateForBuyers(buyers);
  printBuyerEvaluation(result);
  if (write) writeFigures(result, new Date().toISOString().slice(0, 10));
  if (failures > 0 && result.sets.tuning) printFailures(result.sets.tuning.evaluation, failures);
}

async function runLabelledSets(
  sets: readonly SetName[],
  names: readonly string[] | undefined,
  failures: number,
): Promise<void> {
  const runtime = await createTestRuntime({ SEARCH_ENCODER: 'on', TUNING: PATIENT });
  const embeddings = createEmbeddings(runtime);
  try {
    await seedInventory(runtime, [ENVIRONMENT]);
    while ((await embeddings.refresh(AbortSignal.timeout(ENCODING_MS)))?.embedded);
    const systems = await prepareSystems({ ...runtime, embeddings }, names);
    for (const set of sets) {
      const evaluation = await evaluate(systems, readLabels(set));
      printEvaluation(set, evaluation);
      if (failures > 0) printFailures(evaluation, failures);
    }
  } finally {
    await embeddings.close();
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
