import { loadConfig } from '../../../shared/platform/config.ts';
import { isQueueName } from '../../../shared/platform/queues.ts';
import { createRuntime } from '../../../shared/runtime.ts';
import { startWorkers } from '../../../workers/start-workers.ts';

// The real worker of one queue in a process of its own.
const queue = process.env.BENCH_QUEUE ?? 'webhooks';
if (!isQueueName(queue)) throw new Error(`no queue ${queue}`);
const runtime = createRuntime(loadConfig(), { process: 'bench-worker' });
await runtime.ready();
const workers = await startWorkers(runtime, { queues: [queue] });
process.send?.({ port: 0 });
process.once('SIGTERM', async () => {
  await workers.stop();
  await runtime.stop();
  process.exit(0);
});
