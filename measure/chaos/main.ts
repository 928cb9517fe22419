import pMap from 'p-map';
import { FAULT_RUNS } from './fault-runs.ts';
import { HELP, readOptions } from './options.ts';
import { type Finished, printTable } from './table.ts';
import { createTrial } from './trial.ts';

const options = readOptions(process.argv.slice(2));
if (typeof options === 'string') {
  process.stderr.write(`${options}\n\n${HELP}\n`);
  process.exit(options === '' ? 0 : 2);
}
const finished: Finished[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    // The results so far are still valid.
    printTable(finished);
    process.exit(1);
  });
}
const chosen = FAULT_RUNS.filter(({ id, slow = false }) =>
  options.names.length === 0 ? !(slow && options.size === 'short') : options.names.includes(id),
);
const trials = chosen.flatMap((run) =>
  Array.from({ length: options.seeds }, (_, n) => ({
    run,
    trial: createTrial(options.seed + n, options.size),
  })),
);
await pMap(trials, carryOut, { concurrency: options.atOnce });
printTable(finished);
process.exit(finished.some(({ trial }) => trial.failures.length > 0) ? 1 : 0);

async function carryOut({ run, trial }: Omit<Finished, 'seconds'>): Promise<void> {
  const began = performance.now();
  await run.run(trial).catch((error: Error) => trial.expect(false, error.stack ?? `${error}`));
  const seconds = (performance.now() - began) / 1_000;
  finished.push({ run, trial, seconds });
  const { failures, notes, seed, size } = trial;
  const verdict = failures.length === 0 ? 'held' : 'FAILED';
  const lines = [
    `${run.id} seed ${seed}: ${verdict} after ${seconds.toFixed(1)} s; ${notes.join('; ')}`,
  ];
  for (const failure of failures) lines.push(`  ${failure}`);
  if (failures.length > 0) {
    const sized = size === 'normal' ? '' : ` --${size}`;
    lines.push(`  again: npm run chaos -- ${run.id} --seed ${seed}${sized}`);
  }
  process.stderr.write(`${lines.join('\n')}\n`);
}
