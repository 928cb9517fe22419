import { loadConfig } from '../../../shared/platform/config/config.ts';
import { createRuntime } from '../../../test/support/runtime.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { noOpHandler } from './no-op-job.ts';
import { profileUntilExit } from './profile.ts';
import { tellUsage } from './tell-usage.ts';

// A worker as in production with a single no-op job.
const runtime = createRuntime(loadConfig(), { process: 'bench-worker' });
await runtime.ready();
const workers = startWorkers(runtime, { queues: ['transfers'], registry: [noOpHandler] });
tellUsage();
profileUntilExit('job-worker');
process.send?.({ port: 0 });
process.once('SIGTERM', async () => {
  await workers.stop();
  await runtime.stop();
  process.exit(0);
});
