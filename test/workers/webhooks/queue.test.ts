import { describe, expect, it } from '@jest/globals';
import type { Job } from 'bullmq';
import type { CarriedJobs } from '../../../shared/messaging/jobs/job.ts';
import { DELIVER_KEY } from '../../../shared/messaging/webhooks/webhook.jobs.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import { findForgottenEndpointsTask } from '../../../workers/handlers/webhook-handlers.ts';
import {
  eventIdsOf,
  everythingDelivered,
  openJobs,
  type QueuedEndpoint,
  useDeliveryQueue,
} from '../../support/delivery-queue.ts';
import { eventually } from '../../support/eventually.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import type { TestRuntime } from '../../support/runtime.ts';
import type { TestSettings } from '../../support/settings.ts';
import { countStates, deliveriesOf, givenEvents } from '../../support/webhooks.ts';

const { prepare, anotherEndpoint, start, endsBy, join } = useDeliveryQueue();

const queueOf = (runtime: TestRuntime) => runtime.queues.get('webhooks');

/** The job of an endpoint among those of a state, as the board shows it. */
async function jobOf(
  runtime: TestRuntime,
  state: 'waiting' | 'delayed' | 'completed',
  { endpointId }: QueuedEndpoint,
) {
  const all: Job<CarriedJobs>[] = await queueOf(runtime).getJobs([state]);
  return all.find(
    ({ name, data }) =>
      name === 'deliver' && (data.about as { endpoint: string }).endpoint === endpointId,
  );
}

/** The delayed job of an endpoint, of which a try was answered. */
const delayedJob = (runtime: TestRuntime, endpoint: QueuedEndpoint) =>
  eventually(
    () => jobOf(runtime, 'delayed', endpoint),
    (job) => (job?.data.about as { last_answer?: string } | undefined)?.last_answer !== undefined,
  ) as Promise<Job<CarriedJobs>>;

describe('pausing the webhook queue', () => {
  it('stops deliveries within about a second, and resuming it loses none', async () => {
    const { runtime, receiver, endpoint } = await prepare();
    await runtime.db.knex('webhook_endpoints').update({ max_per_second: 100 });
    start(runtime);
    await givenEvents(runtime, endpoint, 600);
    await receiver.waitFor(20);
    await queueOf(runtime).pause();
    const before = receiver.received.length;
    await eventually(async () => (await queueOf(runtime).getActiveCount()) === 0);
    const { length } = receiver.received;
    expect(length).toBeLessThan(600);
    // What its rate allows in a second and a half, so that a machine that stands still meanwhile does not count.
    expect(length - before).toBeLessThan(150);
    // What is scheduled meanwhile waits, too.
    await givenEvents(runtime, endpoint, 5);
    await eventually(() => jobOf(runtime, 'waiting', endpoint));
    expect(await queueOf(runtime).getActiveCount()).toBe(0);
    expect(receiver.received).toHaveLength(length);

    await queueOf(runtime).resume();
    await everythingDelivered(runtime, 605);
    expect(receiver.received).toHaveLength(605);
    expect(eventIdsOf(receiver).size).toBe(605);
  });
});

const BACK_OFF_MS = 60_000;

describe('the delivery job of a failing endpoint', () => {
  /** An endpoint that answered 503 to so many events, and its job that waits for the next try. */
  const givenFailing = async (count: number, env: TestSettings = {}) => {
    const scene = await prepare({ WEBHOOK_SCHEDULE_MS: `${BACK_OFF_MS},${BACK_OFF_MS}`, ...env });
    scene.receiver.answer({ status: 503 });
    await givenEvents(scene.runtime, scene.endpoint, count);
    start(scene.runtime);
    const job = await delayedJob(scene.runtime, scene.endpoint);
    return { ...scene, job };
  };

  it('waits in the queue for the next retry and shows the endpoint’s status', async () => {
    const { runtime, receiver, endpoint, job } = await givenFailing(3);
    const rows = await deliveriesOf(runtime, endpoint.endpointId);
    const nextAt = Math.min(...rows.map((row) => row.next_attempt_at.getTime()));
    const { next_try, ...about } = job.data.about as Record<string, unknown>;
    expect(about).toEqual({
      endpoint: endpoint.endpointId,
      partner: endpoint.partnerId,
      environment: 'SANDBOX',
      waiting: 3,
      last_answer: 'HTTP 503',
    });
    expect(Date.parse(`${next_try}`)).toBe(nextAt);
    // It comes when the back-off is over: the jitter of the schedule aside, a minute after the try.
    expect(Math.abs(job.timestamp + job.delay - nextAt)).toBeLessThan(SECOND);
    expect(nextAt - (receiver.received.at(0)?.at ?? 0)).toBeGreaterThan(BACK_OFF_MS / 2);
    expect(receiver.received).toHaveLength(3);
  });

  it('retries at once when promoted and waits again when that fails', async () => {
    const { runtime, receiver, endpoint, job } = await givenFailing(3);
    await job.promote();
    await receiver.waitFor(4);
    const again = await eventually(
      () => jobOf(runtime, 'delayed', endpoint),
      (found) => found !== undefined && found.id !== job.id,
    );
    expect(again?.data.about).toMatchObject({ waiting: 3, last_answer: 'HTTP 503' });
    expect(await openJobs(runtime, endpoint)).toBe(1);

    receiver.answer({ status: 200 });
    await again?.promote();
    await everythingDelivered(runtime, 3);
  });

  it('stays with the worker that was told to start early', async () => {
    const { runtime, receiver, endpoint, job } = await givenFailing(1, {
      WEBHOOK_TIMEOUT_MS: '1000',
    });
    receiver.hang();
    await job.promote();
    await receiver.waitFor(2);
    await givenEvents(runtime, endpoint, 1);
    // The next request begins when the one that hangs was given up: the endpoint gets one at a time.
    await receiver.waitFor(3);
    expect(receiver.mostUnderWay).toBe(1);
    expect(await openJobs(runtime, endpoint)).toBe(1);
  });

  it('is requeued when ops clear the queue', async () => {
    const { runtime, receiver, endpoint, job } = await givenFailing(2, {
      WEBHOOK_TIMEOUT_MS: '500',
      jobLockMs: 600,
      outboxLeaseMs: 1_000,
    });
    await queueOf(runtime).drain(true);
    expect(await job.getState()).toBe('unknown');
    const again = await delayedJob(runtime, endpoint);
    expect(again.data.about).toEqual(job.data.about);
    receiver.answer({ status: 200 });
    await again.promote();
    await everythingDelivered(runtime, 2);
  });

  it('can be retried after it failed permanently and the cause was fixed', async () => {
    const { runtime, receiver, endpoint, job } = await givenFailing(1);
    const row = () => runtime.db.knex('outbox').where({ id: job.data.outboxId });
    const { payload } = await row().first('payload');
    await row().update({ payload: JSON.stringify({ ...payload, environment: 'NOWHERE' }) });
    await job.promote();
    await eventually(async () => (await row().first('state')).state === 'dead');
    const failed = await eventually(async () => (await queueOf(runtime).getFailed())[0]);
    expect(failed?.failedReason).toContain('malformed');
    await row().update({ payload: JSON.stringify(payload) });
    await failed?.retry();
    // The endpoint has a job for its next try again.
    const again = await delayedJob(runtime, endpoint);
    expect((await row().first('state')).state).toBe('done');
    expect(await openJobs(runtime, endpoint)).toBe(1);
    receiver.answer({ status: 200 });
    await again.promote();
    await everythingDelivered(runtime, 1);
  });

  it('probes an open circuit breaker when promoted and delivers everything', async () => {
    const { runtime, receiver, endpoint, job } = await givenFailing(30);
    const breaker = () =>
      runtime.db.knex('webhook_endpoints').where({ id: endpoint.endpointId }).first('open_until');
    const { open_until } = await breaker();
    expect(open_until.getTime()).toBeGreaterThan(Date.now());
    const tries = receiver.received.length;
    expect(tries).toBeLessThan(30);
    expect(Date.parse((job.data.about as { next_try: string }).next_try)).toBeGreaterThanOrEqual(
      open_until.getTime(),
    );
    receiver.answer({ status: 200 });
    await job.promote();
    await everythingDelivered(runtime, 30);
    expect(await breaker()).toEqual({ open_until: null });
    expect(receiver.received).toHaveLength(tries + 30);
  });

  it('is made due once by a new event, without retrying other deliveries', async () => {
    const { runtime, receiver, endpoint } = await givenFailing(1);
    receiver.answer({ status: 200 });
    await givenEvents(runtime, endpoint, 1);
    await receiver.waitFor(2);
    const waits = await eventually(() => jobOf(runtime, 'delayed', endpoint));
    expect(waits?.data.about).toMatchObject({ waiting: 1, last_answer: 'HTTP 200' });
    expect(await countStates(runtime)).toEqual({ delivered: 1, pending: 1 });
    expect(await openJobs(runtime, endpoint)).toBe(1);
  });

  it('is requeued for the same time after a Redis wipe', async () => {
    const redis = await startOwnRedis();
    endsBy(() => redis.remove());
    const { runtime, receiver, endpoint, job } = await givenFailing(2, { REDIS_URL: redis.url });
    await redis.flushAll();
    const again = await delayedJob(runtime, endpoint);
    expect(again.data.about).toEqual(job.data.about);
    expect(Math.abs(again.timestamp + again.delay - job.timestamp - job.delay)).toBeLessThan(
      SECOND,
    );
    receiver.answer({ status: 200 });
    await again.promote();
    await everythingDelivered(runtime, 2);
  });
});

describe('the delivery job of an endpoint', () => {
  it('is counted as completed and stores its result', async () => {
    const { runtime, receiver, endpoint } = await prepare();
    let requests = 0;
    receiver.answer(() => {
      requests += 1;
      return { status: requests === 3 ? 422 : 200 };
    });
    start(runtime);
    await givenEvents(runtime, endpoint, 5);
    const job = await eventually(() => jobOf(runtime, 'completed', endpoint));
    const { next_try, ...result } = job?.returnvalue ?? {};
    expect(result).toEqual({
      endpoint: endpoint.endpointId,
      partner: endpoint.partnerId,
      environment: 'SANDBOX',
      sent: 5,
      failed: 1,
      waiting: 1,
      last_answer: expect.stringMatching(/^HTTP (200|422)$/),
    });
    const [left] = await deliveriesOf(runtime, endpoint.endpointId).then((rows) =>
      rows.filter(({ state }) => state === 'pending'),
    );
    expect(Date.parse(next_try)).toBe(left?.next_attempt_at.getTime());
    const { meta } = await queueOf(runtime).getMetrics('completed');
    expect(meta.count).toBeGreaterThan(0);
  });

  it('sends nothing twice when it fails through an internal error', async () => {
    const { runtime, receiver, endpoint } = await prepare({
      WEBHOOK_TIMEOUT_MS: '4000',
      WEBHOOK_SCHEDULE_MS: '100,100',
    });
    const { knex } = runtime.db;
    const rename = (from: string, to: string) =>
      knex.schema.alterTable('webhook_endpoints', (table) => table.renameColumn(from, to));
    receiver.hang();
    start(runtime);
    await givenEvents(runtime, endpoint, 1);
    await receiver.waitFor(1);
    await rename('payload', 'elsewhere');
    const row = () => knex('outbox').where({ name: 'deliver' }).first('last_error');
    await eventually(async () => (await row()).last_error !== null);
    await rename('elsewhere', 'payload');
    receiver.answer({ status: 200 });
    await everythingDelivered(runtime, 1);
    expect(receiver.mostUnderWay).toBe(1);
  });

  it('exists only once, even for a burst of events', async () => {
    const { runtime, receiver, endpoint } = await prepare();
    const burst = () =>
      Promise.all(Array.from({ length: 50 }, () => givenEvents(runtime, endpoint, 1)));
    await burst();
    expect(await openJobs(runtime, endpoint)).toBe(1);
    const fleets = [start(runtime), start(await join(runtime))];
    expect(fleets).toHaveLength(2);
    const seen = new Set<number>();
    const watch = setInterval(() => {
      openJobs(runtime, endpoint).then(
        (jobs) => seen.add(jobs),
        () => {},
      );
    }, 5);
    endsBy(async () => clearInterval(watch));
    for (let round = 0; round < 5; round += 1) await burst();
    await everythingDelivered(runtime, 300);
    clearInterval(watch);
    expect(Math.max(...seen)).toBe(1);
    expect(receiver.received).toHaveLength(300);
    expect(eventIdsOf(receiver).size).toBe(300);
  });

  it('is recreated by the scheduled task when it was lost', async () => {
    const { runtime, receiver, endpoint } = await prepare();
    const other = await anotherEndpoint(runtime);
    const idle = await anotherEndpoint(runtime);
    for (const each of [endpoint, other.endpoint]) await givenEvents(runtime, each, 2);
    const find = () =>
      findForgottenEndpointsTask.run({ runtime, signal: new AbortController().signal });
    expect(await find()).toBe(0);
    const key = { dedupe_key: `${DELIVER_KEY}${endpoint.endpointId}` };
    await runtime.db.knex('outbox').where(key).delete();
    await runtime.db.knex('job_keys').where(key).delete();
    expect(await find()).toBe(1);
    expect(await find()).toBe(0);
    start(runtime);
    await everythingDelivered(runtime, 4);
    expect(
      [receiver, other.receiver, idle.receiver].map(({ received }) => received.length),
    ).toEqual([2, 2, 0]);
  });
});
