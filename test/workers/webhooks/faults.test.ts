import type { ChildProcess } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { type OwnRedis, startOwnRedis } from '../../support/own-redis.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { endProcess, spawnProgram } from '../../support/service-process.ts';
import type { TestSettings } from '../../support/settings.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { countStates, deliveriesOf, givenEndpoint, givenEvents } from '../../support/webhooks.ts';

const QUICK = {
  jobLockMs: 600,
  outboxLeaseMs: 1_500,
  WEBHOOK_TIMEOUT_MS: '1000',
  outboxPollMs: 20,
  reconcileMs: 100,
  SHUTDOWN_MS: '200',
};
/** For endpoints that hang until their worker is gone, however late that is. */
const PATIENT = { WEBHOOK_TIMEOUT_MS: '50000', outboxLeaseMs: 60_000 };

let runtime: TestRuntime;
let fleet: WorkerProcess | undefined;
let worker: ChildProcess | undefined;
let redis: OwnRedis | undefined;
let receivers: WebhookReceiver[] = [];

async function prepare(count: number, env: TestSettings = {}) {
  runtime = await createTestRuntime({ ...QUICK, ...env });
  receivers = await Promise.all(Array.from({ length: count }, () => startWebhookReceiver()));
  return Promise.all(receivers.map((receiver) => givenEndpoint(runtime, receiver.url)));
}

beforeEach(() => {
  fleet = undefined;
  worker = undefined;
  redis = undefined;
});
afterEach(async () => {
  if (worker) await endProcess(worker, 'SIGKILL');
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await fleet?.stop();
  await runtime.stop();
  await redis?.remove();
});

const startWorkerProcess = () =>
  spawnProgram(['workers/main.ts', '--queues', 'webhooks'], runtime.env);
const start = () => {
  fleet = startWorkers(runtime, { queues: ['webhooks'] });
};
const everythingDelivered = (count: number) =>
  eventually(
    // Its connection may be cut as well.
    () => countStates(runtime).catch((): { delivered?: number } => ({})),
    (counts) => counts.delivered === count,
  );

describe('webhook deliveries', () => {
  it('are retried without counting the attempt when their worker is killed', async () => {
    const [endpoint] = await prepare(1, PATIENT);
    const [receiver] = receivers;
    if (!endpoint || !receiver) throw new Error('not prepared');
    receiver.hang();
    await givenEvents(runtime, endpoint, 1);
    worker = startWorkerProcess();
    await receiver.waitFor(1);
    await endProcess(worker, 'SIGKILL');
    receiver.answer({ status: 200 });
    start();
    await everythingDelivered(1);
    // The attempt that nobody saw the end of does not count.
    expect(receiver.received.map((each) => each.headers['x-service-delivery-attempt'])).toEqual([
      '1',
      '1',
    ]);
  });

  it('are all sent by the next worker when their worker is killed', async () => {
    const [endpoint] = await prepare(1, PATIENT);
    const [receiver] = receivers;
    if (!endpoint || !receiver) throw new Error('not prepared');
    await givenEvents(runtime, endpoint, 60);
    worker = startWorkerProcess();
    await receiver.waitFor(20);
    receiver.hang();
    await endProcess(worker, 'SIGKILL');
    receiver.answer({ status: 200 });
    start();
    await everythingDelivered(60);
    expect(new Set(receiver.received.map((each) => each.event.id)).size).toBe(60);
  });

  it('are returned without counting an attempt when their worker shuts down', async () => {
    const [endpoint] = await prepare(1, PATIENT);
    const [receiver] = receivers;
    if (!endpoint || !receiver) throw new Error('not prepared');
    receiver.hang();
    await givenEvents(runtime, endpoint, 1);
    start();
    await receiver.waitFor(1);
    await fleet?.stop();
    expect(await deliveriesOf(runtime, endpoint.endpointId)).toMatchObject([
      { state: 'pending', attempts: 0 },
    ]);
    receiver.answer({ status: 200 });
    start();
    await everythingDelivered(1);
  });

  it('are all sent when Redis is wiped repeatedly', async () => {
    redis = await startOwnRedis();
    const endpoints = await prepare(8, { REDIS_URL: redis.url });
    const perEndpoint = 40;
    start();
    for (const endpoint of endpoints) await givenEvents(runtime, endpoint, perEndpoint);
    const arrived = () => receivers.reduce((sum, receiver) => sum + receiver.received.length, 0);
    for (const mark of [1, 60, 120, 200]) {
      await eventually(arrived, (count) => count >= mark, { everyMs: 1 });
      await redis.flushAll();
    }
    await everythingDelivered(endpoints.length * perEndpoint);
    for (const receiver of receivers) {
      expect(new Set(receiver.received.map((each) => each.event.id)).size).toBe(perEndpoint);
    }
  });

  it('wait while Redis is down and resume when it is back', async () => {
    redis = await startOwnRedis();
    const [endpoint] = await prepare(1, { REDIS_URL: redis.url });
    const [receiver] = receivers;
    if (!endpoint || !receiver) throw new Error('not prepared');
    start();
    await givenEvents(runtime, endpoint, 30);
    await receiver.waitFor(5);
    await redis.kill();
    await givenEvents(runtime, endpoint, 30);
    await redis.start();
    await everythingDelivered(60);
    expect(new Set(receiver.received.map((each) => each.event.id)).size).toBe(60);
  });

  it('are recorded, and none sent twice, when Postgres drops its connections', async () => {
    // Nobody dies: nothing is to be taken over, however long the machine holds a worker up.
    const [endpoint] = await prepare(1, { ...PATIENT, jobLockMs: 50_000 });
    const [receiver] = receivers;
    if (!endpoint || !receiver) throw new Error('not prepared');
    let answers = 0;
    receiver.answer(() => {
      answers += 1;
      if (answers % 20 === 0) cutConnections().catch(() => {});
      return { status: 200 };
    });
    start();
    await givenEvents(runtime, endpoint, 100);
    await everythingDelivered(100);
    expect(receiver.received).toHaveLength(100);
  });
});

/** Ends every connection of the service to the database, as a restart of Postgres does. */
async function cutConnections() {
  await runtime.db.knex.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
}
