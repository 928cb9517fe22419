import { loadConfig } from '../../shared/platform/config/config.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { createRuntime } from './runtime.ts';

// A transfer worker that a test kills during a push: its registrar accepts the push, and then does not respond.
const runtime = createRuntime(loadConfig(), { process: 'test-child' });
await runtime.ready();
startWorkers(
  {
    ...runtime,
    registrars: (environment) => {
      const registrar = runtime.registrars(environment);
      return {
        ...registrar,
        async push(request) {
          await registrar.push(request);
          return new Promise<never>(() => {});
        },
      };
    },
  },
  { queues: ['transfers'] },
);
