// Fills a database with a year of trade and checks every statement of the stores on it:
// `npm run scale -- --partners 1000 --orders 1000000 --events 5000000`; with `--routes`, calls every route instead.
import { runMeasurement } from './lib/run-measurement.mjs';

await runMeasurement('measure/scale/main.ts', { durable: true });
