// Measures search speed with 10,000, 100,000 and 1,000,000 names, on its own durable Postgres and Redis.
// Arguments are sizes: `npm run bench:search -- 100000`.
import { runMeasurement } from './lib/run-measurement.mjs';

await runMeasurement('measure/bench/search.ts', { durable: true });
