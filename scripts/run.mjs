// Runs one of our programs from its build: `node scripts/run.mjs workers/main.ts --queues webhooks`.
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import { builtProgram } from './lib/build.mjs';

// The collector sets to work when the heap has grown by so many percent since the last time. Left to itself it
// lets it become several times as large.
v8.setFlagsFromString('--heap-growing-percent=30');

const [program] = process.argv.splice(2, 1);
const file = await builtProgram(program);
process.argv[1] = file;
process.setSourceMapsEnabled(true);
await import(pathToFileURL(file).href);
