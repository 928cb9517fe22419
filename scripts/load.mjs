// Open-loop load: requests arrive at a rate, however the service answers them, at shares of its measured capacity and
// at twice of it. `npm run load -- --api 2 --workers 1 --seconds 20 --write`. Or the capacity alone, by the number of
// processes: `npm run load -- --processes 1,2,4 --write`.
import { runMeasurement } from './lib/run-measurement.mjs';

await runMeasurement('measure/load/main.ts', { durable: true });
