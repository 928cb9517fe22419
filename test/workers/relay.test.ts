import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Queue } from 'bullmq';
import type { CarriedJobs } from '../../shared/messaging/jobs/job.ts';
import {
  createJobLifecycle,
  type JobLifecycle,
} from '../../shared/messaging/jobs/job-lifecycle.ts';
import type { Queues } from '../../shared/messaging/jobs/job-queues.ts';
import { HOUR } from '../../shared/platform/clock.ts';
import { createDispatcher, startRelay } from '../../workers/outbox/dispatcher.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { putBootMarkers } from '../support/boot-markers.ts';
import {
  createEffects,
  EFFECT_ROWS,
  effectsOf,
  enqueueEffects,
  outboxOf,
} from '../support/effects.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

const NUMBERS = Array.from({ length: 1_200 }, (_, index) => index + 1);

let runtime: TestRuntime;
let fleet: WorkerProcess | undefined;
let lifecycle: JobLifecycle;

beforeEach(async () => {
  runtime = await createTestRuntime({ outboxPollMs: 20, reconcileMs: 50 });
  lifecycle = createJobLifecycle(runtime.db, runtime.clock, runtime.config.outboxLeaseMs);
  await createEffects(runtime);
});

afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
  await runtime.stop();
});

function start(): void {
  fleet = startWorkers(runtime, { queues: ['maintenance'], registry: EFFECT_ROWS });
}

/** Queues that take jobs in their own way. */
function withAddBulk(addBulk: () => Promise<never>): Queues {
  return { ...runtime.queues, get: () => ({ addBulk }) as unknown as Queue };
}

/** A call that fails when it is told to, as one that times out does. */
function refusal(): { held: Promise<never>; refuse(): void } {
  let refuse = () => {};
  const held = new Promise<never>((_, reject) => {
    refuse = () => reject(new Error('Command timed out'));
  });
  return { held, refuse: () => refuse() };
}

async function onlyId(): Promise<number> {
  const [row] = await runtime.db.knex('outbox').select('id');
  return row.id;
}

/** The data of the BullMQ jobs that wait for a worker. */
async function waiting(): Promise<{ data: CarriedJobs }[]> {
  return runtime.queues.get('maintenance').getJobs(['waiting']);
}

/** The ids of the rows that are on their way in Redis. */
async function carried(): Promise<number[]> {
  return (await waiting()).flatMap(({ data }) => [data.outboxId, ...(data.followers ?? [])]);
}

async function everythingDone() {
  await eventually(
    () => outboxOf(runtime),
    (rows) => rows.every((row) => row.state === 'done'),
  );
}

describe('the relay', () => {
  it('dispatches each row once with several relays running', async () => {
    await enqueueEffects(runtime, NUMBERS);
    const dispatcher = createDispatcher(runtime.queues, lifecycle);
    const relays = [1, 2, 3].map(() => startRelay(runtime, dispatcher));
    await eventually(carried, (ids) => ids.length >= NUMBERS.length);
    await Promise.all(relays.map((relay) => relay.stop()));
    const rows = await outboxOf(runtime);
    expect((await carried()).sort((one, other) => one - other)).toEqual(rows.map(({ id }) => id));
    expect(new Set(rows.map((row) => row.epoch))).toEqual(new Set([1]));
  });

  it('sends a few jobs individually and a backlog in batches', async () => {
    const dispatcher = createDispatcher(runtime.queues, lifecycle);
    await enqueueEffects(runtime, NUMBERS.slice(0, 10));
    await dispatcher.dispatch(500);
    expect(await waiting()).toHaveLength(10);

    await enqueueEffects(runtime, NUMBERS.slice(10, 140));
    await dispatcher.dispatch(500);
    const sizes = (await waiting()).map(({ data }) => 1 + (data.followers?.length ?? 0));
    expect(sizes.filter((size) => size === 2)).toHaveLength(65);
    expect((await carried()).sort((one, other) => one - other)).toEqual(
      (await outboxOf(runtime)).map(({ id }) => id),
    );
    start();
    await everythingDone();
    expect(await effectsOf(runtime)).toEqual(NUMBERS.slice(0, 140));
    expect(new Set((await outboxOf(runtime)).map((row) => row.attempts))).toEqual(new Set([1]));
  });

  it('sends a job on its own when it was dispatched before', async () => {
    await enqueueEffects(runtime, NUMBERS.slice(0, 200));
    await lifecycle.requeue(await lifecycle.claimDue(200));
    const again = await lifecycle.claimDue(200);
    expect(again.map(({ batchId }) => batchId)).toEqual(again.map(({ id }) => id));
  });

  it('is woken by a commit without waiting for the next poll', async () => {
    const slow = await createTestRuntime({ outboxPollMs: HOUR, reconcileMs: HOUR });
    const workers = startWorkers(slow, { queues: ['maintenance'], registry: EFFECT_ROWS });
    try {
      await createEffects(slow);
      await eventually(async () => {
        // Again and again, because a wake-up from before the relay listens is lost.
        await enqueueEffects(slow, [1]);
        return (await effectsOf(slow)).length > 0;
      });
    } finally {
      await workers.stop();
      await slow.stop();
    }
  });

  it('requeues the jobs of a batch individually after the batch stalls too often', async () => {
    await putBootMarkers(runtime);
    await enqueueEffects(runtime, NUMBERS.slice(0, 200));
    const dispatcher = createDispatcher(runtime.queues, lifecycle);
    await dispatcher.dispatch(200);
    const stalled = { finishedOn: 1, failedReason: 'job stalled more than allowable limit' };
    const getJob = async (id: string) => ({
      ...stalled,
      data: (await runtime.queues.get('maintenance').getJob(id))?.data,
    });
    const queues = { ...runtime.queues, get: () => ({ getJob }) as unknown as Queue };
    await createDispatcher(queues, lifecycle).reconcile({ everything: true });
    const batched = (await waiting()).flatMap(({ data }) =>
      data.followers ? [data.outboxId, ...data.followers] : [],
    );
    const rows = await outboxOf(runtime);
    const pending = rows.filter(({ state }) => state === 'pending').map(({ id }) => id);
    expect(batched.length).toBeGreaterThan(100);
    expect(pending).toEqual(batched.sort((one, other) => one - other));
    // What was alone is what ended them.
    expect(rows.filter(({ state }) => state === 'dead')).toHaveLength(200 - batched.length);
  });

  it('requeues rows at once when Redis rejects them', async () => {
    await enqueueEffects(runtime, [1, 2]);
    const refusing = withAddBulk(() => Promise.reject(new Error('READONLY')));
    const dispatcher = createDispatcher(refusing, lifecycle);
    await expect(dispatcher.dispatch(10)).rejects.toThrow('READONLY');
    expect((await outboxOf(runtime)).map((row) => row.state)).toEqual(['pending', 'pending']);
    start();
    await everythingDone();
    expect(await effectsOf(runtime)).toEqual([1, 2]);
  });

  it('does not requeue a row that another relay sent while its own Redis call hung', async () => {
    await enqueueEffects(runtime, [1]);
    const { held, refuse } = refusal();
    const slow = withAddBulk(() => held);
    const sending = createDispatcher(slow, lifecycle).dispatch(10);
    await eventually(async () => (await outboxOf(runtime))[0]?.state === 'dispatched');
    runtime.clock.advance(60_000);
    const other = createDispatcher(runtime.queues, lifecycle);
    expect(await other.reconcile({ everything: false })).toBe(1);
    expect(await other.dispatch(10)).toBe(1);
    const job = { outboxId: await onlyId(), epoch: 2 };
    expect(await lifecycle.start(job)).toMatchObject({ attempts: 1 });

    refuse();
    await expect(sending).rejects.toThrow('Command timed out');
    expect((await outboxOf(runtime))[0]).toMatchObject({ state: 'dispatched', epoch: 2 });
    expect(await lifecycle.claimDue(10)).toEqual([]);
  });

  it('does not requeue a row that a worker has started when only Redis’s reply was lost', async () => {
    await enqueueEffects(runtime, [1]);
    const answerLost = withAddBulk(async () => {
      await lifecycle.start({ outboxId: await onlyId(), epoch: 1 });
      throw new Error('Command timed out');
    });
    const dispatcher = createDispatcher(answerLost, lifecycle);
    await expect(dispatcher.dispatch(10)).rejects.toThrow('Command timed out');
    expect((await outboxOf(runtime))[0]).toMatchObject({ state: 'dispatched', epoch: 1 });
    expect(await lifecycle.claimDue(10)).toEqual([]);
  });

  it('recovers rows whose relay died between the claim and Redis', async () => {
    await putBootMarkers(runtime);
    await enqueueEffects(runtime, [1, 2, 3]);
    await lifecycle.claimDue(10);
    runtime.clock.advance(60_000);
    start();
    await everythingDone();
    expect(await effectsOf(runtime)).toEqual([1, 2, 3]);
    expect((await outboxOf(runtime)).map((row) => row.epoch)).toEqual([2, 2, 2]);
  });

  it('leaves a job alone that is only waiting for a worker', async () => {
    await putBootMarkers(runtime);
    await enqueueEffects(runtime, [1]);
    const dispatcher = createDispatcher(runtime.queues, lifecycle);
    await dispatcher.dispatch(10);
    runtime.clock.advance(60_000);
    expect(await dispatcher.reconcile({ everything: false })).toBe(0);
    expect(await dispatcher.reconcile({ everything: true })).toBe(0);
    expect(await lifecycle.findOverdue({ everything: false, afterId: 0, limit: 10 })).toEqual([]);
    start();
    await everythingDone();
    expect((await outboxOf(runtime))[0]).toMatchObject({ epoch: 1, attempts: 1 });
  });
});
