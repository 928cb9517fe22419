// Runs the fault runs against their own Postgres (durable, as in production) and Redis servers.
// Arguments are passed to the runs: `npm run chaos -- F4 --seed 17`; `--help` lists them.
import { runMeasurement } from './lib/run-measurement.mjs';

await runMeasurement('measure/chaos/main.ts', { durable: true });
