// Runs the benchmarks against a Postgres (durable, as in production) and a Redis of their own.
// Arguments go to the benchmarks: `npm run bench -- search`.
import { runMeasurement } from './lib/run-measurement.mjs';

await runMeasurement('measure/bench/main.ts', { durable: true });
