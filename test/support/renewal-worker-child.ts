import { loadConfig } from '../../shared/platform/config/config.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { withRegistrar } from './bulk.ts';
import { createRuntime } from './runtime.ts';

// A worker that a test kills during a renewal: its registrar renews, and then does not respond.
const runtime = createRuntime(loadConfig(), { process: 'test-child' });
await runtime.ready();
startWorkers(
  withRegistrar(runtime, async (request, real) => {
    await real(request);
    return new Promise<never>(() => {});
  }),
  { queues: ['transfers'] },
);
