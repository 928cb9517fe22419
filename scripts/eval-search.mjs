// Measures the quality of search on labelled queries, on a Postgres and a Redis of its own.
// Arguments go to the evaluation: `npm run eval:search -- --set tuning --failures`.
import { runMeasurement } from './lib/run-measurement.mjs';

await runMeasurement('measure/search/main.ts');
