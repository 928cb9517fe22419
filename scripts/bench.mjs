// Runs the benchmarks against their own Postgres (durable, as in production) and Redis.
// Arguments are passed to the benchmarks: `npm run bench -- search`.
import { runMeasurement } from './lib/run-measurement.mjs';

await runMeasurement('measure/bench/main.ts', { durable: true });
