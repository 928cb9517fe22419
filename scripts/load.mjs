// Open-loop load test: sends requests at fixed rates, however fast the service answers, from a share of its measured
// capacity up to twice that: `npm run load -- --api 2 --workers 1 --seconds 20 --write`. Or measures only the capacity,
// by number of processes: `npm run load -- --processes 1,2,4 --write`.
import { runMeasurement } from './lib/run-measurement.mjs';

await runMeasurement('measure/load/main.ts', { durable: true });
