import { isQueueName } from '../../../shared/messaging/jobs/job-queues.ts';
import { loadConfig } from '../../../shared/platform/config/config.ts';
import { createRuntime } from '../../../test/support/runtime.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { profileUntilExit } from './profile.ts';
import { tellUsage } from './tell-usage.ts';

// The real worker of one queue in its own process; with `none`, only a relay.
const queue = process.env.BENCH_QUEUE ?? 'webhooks';
const queues = queue === 'none' ? [] : [queue].filter(isQueueName);
const runtime = createRuntime(loadConfig(), { process: 'bench-worker' });
await runtime.ready();
const workers = await startWorkers(runtime, { queues });
tellUsage();
profileUntilExit('worker');
process.send?.({ port: 0 });
process.once('SIGTERM', async () => {
  await workers.stop();
  await runtime.stop();
  process.exit(0);
});
