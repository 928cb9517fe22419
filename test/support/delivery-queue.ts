import type { ChildProcess } from 'node:child_process';
import { afterEach } from '@jest/globals';
import { DELIVER_KEY } from '../../shared/messaging/webhooks/webhook.jobs.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { eventually } from './eventually.ts';
import { createTestRuntime, joinRuntime, type Runtime, type TestRuntime } from './runtime.ts';
import { endProcess, spawnProgram } from './service-process.ts';
import type { TestSettings } from './settings.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';
import { countStates, givenEndpoint } from './webhooks.ts';

export type QueuedEndpoint = Awaited<ReturnType<typeof givenEndpoint>>;

/** Provides endpoints with receivers, and workers that deliver to them; stops everything in reverse after each test. */
export function useDeliveryQueue() {
  let ends: (() => Promise<unknown>)[] = [];
  const endsBy = (end: () => Promise<unknown>) => void ends.push(end);
  afterEach(async () => {
    const all = ends.reverse();
    ends = [];
    for (const end of all) await end();
  });

  const anotherEndpoint = async (runtime: TestRuntime) => {
    const receiver = await startWebhookReceiver();
    endsBy(() => receiver.close());
    return { receiver, endpoint: await givenEndpoint(runtime, receiver.url) };
  };
  return {
    endsBy,
    anotherEndpoint,
    /** Creates a runtime with one endpoint and its receiver; no worker runs yet. */
    async prepare(env: TestSettings = {}) {
      const runtime = await createTestRuntime({ outboxPollMs: 50, reconcileMs: 100, ...env });
      endsBy(() => runtime.stop());
      return { runtime, ...(await anotherEndpoint(runtime)) };
    },
    /** Opens the same database and queues for another process. */
    async join(runtime: TestRuntime): Promise<Runtime> {
      const other = await joinRuntime(runtime);
      endsBy(() => other.stop());
      return other;
    },
    start(runtime: Parameters<typeof startWorkers>[0]): WorkerProcess {
      const fleet = startWorkers(runtime, { queues: ['webhooks'] });
      endsBy(() => fleet.stop());
      return fleet;
    },
    startWorkerProcess(runtime: TestRuntime): ChildProcess {
      const worker = spawnProgram(['workers/main.ts', '--queues', 'webhooks'], runtime.env);
      endsBy(() => endProcess(worker, 'SIGKILL'));
      return worker;
    },
  };
}

export const everythingDelivered = (runtime: TestRuntime, count: number) =>
  eventually(
    // Asks again if the connection was cut.
    () => countStates(runtime).catch((): { delivered?: number } => ({})),
    (counts) => counts.delivered === count,
  );

/** Returns how many unfinished jobs an endpoint has. */
export async function openJobs(
  runtime: TestRuntime,
  { endpointId }: QueuedEndpoint,
): Promise<number> {
  const rows = await runtime.db
    .knex('outbox')
    .where({ dedupe_key: `${DELIVER_KEY}${endpointId}` })
    .whereNot({ state: 'done' });
  return rows.length;
}

export const eventIdsOf = ({ received }: WebhookReceiver) =>
  new Set(received.map(({ event }) => event.id));
