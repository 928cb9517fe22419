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
    // What was seen until then is no less true.
    printTable(finished);
    process.exit(1);
  });
}
for (const run of FAULT_RUNS) {
  if (options.names.length > 0 && !options.names.includes(run.id)) continue;
  for (let seed = options.seed; seed < options.seed + options.seeds; seed += 1) {
    const trial = createTrial(seed, options.size);
    const began = performance.now();
    await run.run(trial).catch((error: Error) => trial.expect(false, error.stack ?? `${error}`));
    const seconds = (performance.now() - began) / 1_000;
    finished.push({ run, trial, seconds });
    const verdict = trial.failures.length === 0 ? 'held' : 'FAILED';
    process.stderr.write(
      `${run.id} seed ${seed}: ${verdict} after ${seconds.toFixed(1)} s; ${trial.notes.join('; ')}\n`,
    );
    for (const failure of trial.failures) process.stderr.write(`  ${failure}\n`);
    if (trial.failures.length > 0) {
      const size = options.size === 'normal' ? '' : ` --${options.size}`;
      process.stderr.write(`  again: npm run chaos -- ${run.id} --seed ${seed}${size}\n`);
    }
  }
}
printTable(finished);
process.exit(finished.some(({ trial }) => trial.failures.length > 0) ? 1 : 0);
