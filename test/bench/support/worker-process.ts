import { loadConfig } from '../../../shared/platform/config.ts';
import { createRuntime } from '../../../shared/runtime.ts';
import { startWorkers } from '../../../workers/start-workers.ts';

// The real webhook worker in a process of its own.
const runtime = createRuntime(loadConfig(), { process: 'bench-worker' });
await runtime.ready();
const workers = await startWorkers(runtime, { queues: ['webhooks'] });
process.send?.({ port: 0 });
process.once('SIGTERM', async () => {
  await workers.stop();
  await runtime.stop();
  process.exit(0);
});
