import { parseArgs } from 'node:util';
import { createTestRuntime } from '../support/runtime.ts';
import { evaluate } from './evaluate.ts';
import { SETS, type SetName } from './labels.ts';
import { printEvaluation, printFailures } from './print.ts';
import { prepareSystems } from './systems.ts';

const USAGE = 'npm run eval:search -- [--set tuning|held-out] [--failures [--count 25]]\n';
const DEFAULT_FAILURES = 25;

interface Options {
  sets: readonly SetName[];
  failures: number;
}

/** @throws Error when the options do not fit; the worst queries of the held-out set are nobody's to see */
function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      set: { type: 'string' },
      failures: { type: 'boolean', default: false },
      count: { type: 'string' },
    },
  });
  const sets = values.set === undefined ? SETS : SETS.filter((set) => set === values.set);
  if (sets.length === 0) throw new Error(`there is no set ${values.set}`);
  if (!values.failures) return { sets, failures: 0 };
  if (values.set !== 'tuning') {
    throw new Error('--failures goes with --set tuning: held-out queries stay unseen by who tunes');
  }
  return { sets, failures: Number(values.count ?? DEFAULT_FAILURES) };
}

async function main({ sets, failures }: Options): Promise<void> {
  const runtime = await createTestRuntime();
  try {
    const systems = await prepareSystems(runtime);
    for (const set of sets) {
      const evaluation = await evaluate(systems, set);
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
