import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type DispatchedJob,
  type JobReference,
  ticketOf,
} from '../../shared/messaging/jobs/job.ts';
import { createJobLifecycle } from '../../shared/messaging/jobs/job-lifecycle.ts';
import { done, type Registry } from '../../workers/runtime/job-handler.ts';
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
import { createTestRuntime, joinRuntime, type TestRuntime } from '../support/runtime.ts';
import { enqueueScripted, scripted, settled, withResolvers } from '../support/scripted-jobs.ts';
import { runIn } from '../support/transaction.ts';

let runtime: TestRuntime;
let fleet: WorkerProcess | undefined;

beforeEach(async () => {
  runtime = await createTestRuntime({ outboxPollMs: 20, reconcileMs: 100 });
  await createEffects(runtime);
});

afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
  await runtime.stop();
});

function start(registry: Registry): void {
  fleet = startWorkers(runtime, { queues: ['maintenance'], registry });
}

describe('claiming an outbox job', () => {
  it('does nothing when the dispatch is stale', async () => {
    const lifecycle = createJobLifecycle(runtime.db, runtime.clock, 60_000);
    await enqueueEffects(runtime, [1]);
    const [first] = await lifecycle.claimDue(10);
    if (!first) throw new Error('nothing was due');
    await lifecycle.requeue([first]);
    await lifecycle.claimDue(10);
    const queue = runtime.queues.get('maintenance');
    const stale = await queue.add('effect', { outboxId: first.id, epoch: first.epoch });
    // Without its marker Redis counts as wiped, and the row would be sent again.
    await putBootMarkers(runtime);
    start(EFFECT_ROWS);
    await eventually(async () => (await queue.getJob(stale.id ?? ''))?.returnvalue === 'stale');
    expect(await effectsOf(runtime)).toEqual([]);
    expect((await outboxOf(runtime))[0]).toMatchObject({ state: 'dispatched', attempts: 0 });
  });

  it('starts only once for the current dispatch when claims race', async () => {
    const lifecycle = createJobLifecycle(runtime.db, runtime.clock, 60_000);
    await enqueueEffects(runtime, [1, 2]);
    const claimed = await lifecycle.claimDue(10);
    await lifecycle.requeue(claimed.slice(0, 1));
    const [again] = await lifecycle.claimDue(10);
    const [stale, present, other] = [claimed[0], again, claimed[1]].map((job) =>
      ticketOf(job as DispatchedJob),
    ) as [JobReference, JobReference, JobReference];
    const started = await Promise.all([stale, present, present, other].map(lifecycle.start));
    expect(started.map((each) => each?.attempts)).toEqual([undefined, 1, undefined, 1]);
    await Promise.all([present, other].map(lifecycle.finish));
    expect(await outboxOf(runtime)).toMatchObject([
      { state: 'done', attempts: 1 },
      { state: 'done', attempts: 1 },
    ]);
  });

  it('renews the leases of all jobs that its worker is running', async () => {
    await fleet?.stop();
    // The reconciler puts off the leases of what is in its queue, too.
    const short = await joinRuntime(runtime, {
      outboxLeaseMs: 600,
      jobLockMs: 500,
      WEBHOOK_TIMEOUT_MS: '500',
      reconcileMs: 60_000,
    });
    const { promise: end, resolve: letEnd } = withResolvers();
    const leases = async () =>
      (await runtime.db.knex('outbox').orderBy('id').pluck('lease_until')) as Date[];
    fleet = startWorkers(short, {
      queues: ['maintenance'],
      registry: scripted(async () => end.then(() => done())),
    });
    await enqueueScripted(runtime, { n: 1 });
    await enqueueScripted(runtime, { n: 2 });
    await eventually(
      () => outboxOf(runtime),
      (rows) => rows.every((row) => row.attempts === 1),
    );
    const before = await leases();
    runtime.clock.advance(10_000);
    await eventually(leases, (now) => now.every((lease, at) => lease > (before[at] ?? lease)));
    letEnd();
    expect(await settled(runtime)).toMatchObject({ state: 'done', attempts: 1 });
    await fleet.stop();
    await short.stop();
    fleet = undefined;
  });

  it('applies one effect when two workers run the same job', async () => {
    let running = 0;
    let letGo = () => {};
    const together = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    start(
      scripted(async ({ job }, { n }) => {
        running += 1;
        if (running === 2) letGo();
        await together;
        await runtime.db.transact(async (uow) => {
          await runIn(uow.sql, runtime.db.knex('effects').insert({ n }));
          uow.jobs.finish(job);
        });
        return done();
      }),
    );
    await enqueueScripted(runtime);
    const [row] = await eventually(
      () => outboxOf(runtime),
      ([each]) => each?.attempts === 1,
    );
    const queue = runtime.queues.get('maintenance');
    await queue.add('scripted', { outboxId: row?.id, epoch: row?.epoch });
    await settled(runtime);
    await eventually(async () => (await queue.getActiveCount()) === 0);
    expect(running).toBe(2);
    expect(await effectsOf(runtime)).toEqual([1]);
  });
});
