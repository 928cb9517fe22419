import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../shared/platform/config/config.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { withRegistrar } from './bulk.ts';
import { createRuntime } from './runtime.ts';

// A bulk worker that a test may kill at any point: its registrar waits before and after each change.
const SLOWEST_MS = 40;
const runtime = createRuntime(loadConfig(), { process: 'test-child' });
await runtime.ready();
const fleet = startWorkers(
  withRegistrar(runtime, async (request, real) => {
    await sleep(Math.random() * SLOWEST_MS);
    const answer = await real(request);
    await sleep(Math.random() * SLOWEST_MS);
    return answer;
  }),
  { queues: ['bulk-domains'] },
);
process.on('SIGTERM', () => {
  void fleet
    .stop()
    .then(() => runtime.stop())
    .then(() => process.exit(0));
});
