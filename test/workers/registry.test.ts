import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRegistry } from '../../workers/job-registry.ts';
import { indexEveryJob } from '../../workers/runtime/job-handler.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

let runtime: TestRuntime;
let fleet: WorkerProcess | undefined;

beforeEach(async () => {
  runtime = await createTestRuntime();
});

afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
  await runtime.stop();
});

describe('work without an outbox row', () => {
  it('is handed to the handler of its queue', async () => {
    const seen: unknown[] = [];
    const handler = {
      queue: 'maintenance' as const,
      deliver: async ({ signal }: { signal: AbortSignal }, data: unknown) => {
        seen.push({ data, aborted: signal.aborted });
      },
    };
    fleet = startWorkers(runtime, { queues: ['maintenance'], registry: [handler] });
    await runtime.queues.get('maintenance').add('deliver', { deliveryId: 'dlv_1', epoch: 3 });
    await eventually(() => seen.length === 1);
    expect(seen).toEqual([{ data: { deliveryId: 'dlv_1', epoch: 3 }, aborted: false }]);
  });

  it('is refused at start when two entries claim it', () => {
    const handler = { queue: 'webhooks' as const, deliver: async () => {} };
    expect(() => startWorkers(runtime, { registry: [handler, handler] })).toThrow(/claim webhooks/);
  });
});

describe('the registry of the fleet', () => {
  it('has a handler for each job that can be asked for', () => {
    const deliveries = { queue: 'webhooks' as const, deliver: async () => {} };
    expect(() => indexEveryJob(createRegistry(deliveries))).not.toThrow();
    expect(() => indexEveryJob([deliveries])).toThrow(/no handler does the job \w+\//);
  });
});
