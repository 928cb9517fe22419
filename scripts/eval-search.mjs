// Measures search quality with labeled queries, on its own Postgres and Redis.
// Arguments are passed to the evaluation: `npm run eval:search -- --set tuning --failures`.
import { runMeasurement } from './lib/run-measurement.mjs';

await runMeasurement('measure/search/main.ts');
