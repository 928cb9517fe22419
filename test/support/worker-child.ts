import { loadConfig } from '../../shared/platform/config/config.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { EFFECT_ROWS } from './effects.ts';
import { createRuntime } from './runtime.ts';

// A worker process that a test may kill: it runs the jobs of effects.ts, with the environment's settings.
const runtime = createRuntime(loadConfig(), { process: 'test-child' });
await runtime.ready();
const fleet = startWorkers(runtime, { queues: ['maintenance'], registry: EFFECT_ROWS });
process.on('SIGTERM', () => {
  void fleet
    .stop()
    .then(() => runtime.stop())
    .then(() => process.exit(0));
});
