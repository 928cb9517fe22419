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

/** Endpoints with receivers, and workers that deliver to them. All of it ends after each test, the last first. */
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
    /** A runtime with an endpoint of one receiver; no worker runs yet. */
    async prepare(env: TestSettings = {}) {
      const runtime = await createTestRuntime({ outboxPollMs: 50, reconcileMs: 100, ...env });
      endsBy(() => runtime.stop());
      return { runtime, ...(await anotherEndpoint(runtime)) };
    },
    /** The same database and queues for another process. */
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
    // A connection that was cut is asked again.
    () => countStates(runtime).catch((): { delivered?: number } => ({})),
    (counts) => counts.delivered === count,
  );

/** How many jobs an endpoint has that are not done. */
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
