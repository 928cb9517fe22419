import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { listDeadJobs, retryDeadJob } from '../../shared/messaging/jobs/dead-jobs.ts';
import {
  type DispatchedJob,
  type Job,
  type JobReference,
  ticketOf,
} from '../../shared/messaging/jobs/job.ts';
import { createJobLifecycle } from '../../shared/messaging/jobs/job-lifecycle.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import {
  done,
  giveUp,
  handle,
  type JobContext,
  type Outcome,
  type Registry,
  retry,
  snooze,
} from '../../workers/runtime/job-handler.ts';
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
import { statementsOf } from '../support/statements.ts';

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

/** A job that does what the test says, attempt by attempt. */
function scripted(
  script: (context: JobContext, payload: { n: number }) => Promise<Outcome>,
  options: { deadlineMs?: number; retryMs?: readonly number[] } = {},
): Registry {
  const { deadlineMs = 5_000, retryMs = [10, 20] } = options;
  return [handle({ ...scriptedJob, deadlineMs, retryMs }, script)];
}

const scriptedJob: Job<{ n: number }> = {
  queue: 'maintenance',
  name: 'scripted',
  payload: Type.Object({ n: Type.Integer() }, { additionalProperties: false }),
  deadlineMs: 5_000,
  retryMs: [10, 20],
};

async function enqueueScripted(payload: Record<string, string | number> = { n: 1 }) {
  await runtime.db.transact(async (uow) => uow.jobs.add(scriptedJob, payload as never));
}

function withResolvers(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function settled() {
  const rows = await eventually(
    () => outboxOf(runtime),
    (all) => all.every((row) => row.state === 'done' || row.state === 'dead'),
  );
  return rows[0];
}

/** The BullMQ jobs that ended so, as ops see them. */
function bullJobs(state: 'completed' | 'failed') {
  return runtime.queues.get('maintenance').getJobs([state]);
}

describe('the jobs of a batch', () => {
  const BACKLOG = Array.from({ length: 200 }, (_, index) => index + 1);

  /** Due before the relay starts, so that they are claimed together. */
  async function enqueueBacklog() {
    await runtime.db.transact(async (uow) => {
      for (const n of BACKLOG) uow.jobs.add(scriptedJob, { n });
    });
  }

  it('are retried and given up each by itself', async () => {
    await enqueueBacklog();
    const runs: number[] = [];
    start(
      scripted(async ({ attempt }, { n }) => {
        runs.push(n);
        if (n % 20 === 0) return giveUp('no such registrar');
        return n % 10 === 0 && attempt === 1 ? retry('later') : done();
      }),
    );
    await settled();
    const rows = await outboxOf(runtime);
    expect(rows.filter(({ state }) => state === 'dead')).toHaveLength(10);
    expect(rows.filter(({ attempts }) => attempts === 2)).toHaveLength(10);
    expect(runs).toHaveLength(BACKLOG.length + 10);
    const failed = await eventually(
      () => bullJobs('failed'),
      (jobs) => jobs.length === 20,
    );
    expect(new Set(failed.map(({ failedReason }) => failedReason))).toEqual(
      new Set(['no such registrar', 'later']),
    );
  });

  it('do not wait for a slow one before them', async () => {
    await enqueueBacklog();
    const { promise: end, resolve: letEnd } = withResolvers();
    const slow: number[] = [];
    start(
      scripted(
        async ({ attempt }, { n }) => {
          // The first jobs that run stand still, in all places but one of the worker.
          if (slow.length < 3) {
            slow.push(n);
            await end;
          }
          return attempt === 1 ? done() : giveUp('ran twice');
        },
        { deadlineMs: 30_000 },
      ),
    );
    await eventually(
      () => outboxOf(runtime),
      (rows) => rows.filter(({ state }) => state === 'done').length === BACKLOG.length - 3,
    );
    letEnd();
    await settled();
    const rows = await outboxOf(runtime);
    expect(new Set(rows.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['done 1']),
    );
    // What was put back came alone.
    expect(rows.filter(({ epoch }) => epoch === 2).length).toBeGreaterThanOrEqual(1);
  });

  it('are never more at a time than the queue allows', async () => {
    await enqueueBacklog();
    let [running, most] = [0, 0];
    const { promise: allFour, resolve: four } = withResolvers();
    start(
      scripted(async ({ runtime: { db } }) => {
        running += 1;
        most = Math.max(most, running);
        // The first ones wait until all places are taken.
        if (running === 4) four();
        await allFour;
        await db.knex.raw('select 1');
        running -= 1;
        return done();
      }),
    );
    await settled();
    expect(most).toBe(4);
  });
});

describe('a job of the outbox', () => {
  it('is done once', async () => {
    start(EFFECT_ROWS);
    await enqueueEffects(runtime, [1, 2, 3]);
    await settled();
    expect(await effectsOf(runtime)).toEqual([1, 2, 3]);
    expect((await outboxOf(runtime)).map((row) => row.attempts)).toEqual([1, 1, 1]);
  });

  it('is not seen before the transaction that made it commits', async () => {
    start(EFFECT_ROWS);
    const aborted = runtime.db.transact(async (uow) => {
      uow.jobs.add(scriptedJob, { n: 9 });
      throw new Error('the business went wrong');
    });
    await expect(aborted).rejects.toThrow('the business went wrong');
    await enqueueEffects(runtime, [1]);
    await settled();
    expect(await effectsOf(runtime)).toEqual([1]);
  });

  it('is retried as its list says, with the attempts counted, and is dead after the list', async () => {
    const seen: { attempt: number; last: boolean }[] = [];
    start(
      scripted(async ({ attempt, lastAttempt }) => {
        seen.push({ attempt, last: lastAttempt });
        throw new Error(`fault ${attempt}`);
      }),
    );
    await enqueueScripted();
    expect(await settled()).toMatchObject({ state: 'dead', attempts: 3, last_error: 'fault 3' });
    expect(seen).toEqual([
      { attempt: 1, last: false },
      { attempt: 2, last: false },
      { attempt: 3, last: true },
    ]);
    const failed = await eventually(
      () => bullJobs('failed'),
      (jobs) => jobs.length === 3,
    );
    expect(failed.map((each) => each.failedReason).sort()).toEqual([
      'fault 1',
      'fault 2',
      'fault 3',
    ]);
  });

  it('waits for the time that a retry asks for', async () => {
    start(scripted(async ({ attempt }) => (attempt === 1 ? retry('later', DAY) : done())));
    await enqueueScripted();
    const [row] = await eventually(
      () => outboxOf(runtime),
      (all) => all[0]?.last_error === 'later',
    );
    expect(row).toMatchObject({ state: 'pending', attempts: 1 });
    runtime.clock.advance(DAY);
    expect(await settled()).toMatchObject({ state: 'done', attempts: 2 });
  });

  it('is dead at once when it gives up, and lives again when ops retry it by hand', async () => {
    let repaired = false;
    start(scripted(async () => (repaired ? done() : giveUp('no such registrar'))));
    await enqueueScripted();
    expect(await settled()).toMatchObject({ state: 'dead', last_error: 'no such registrar' });
    const [failed] = await eventually(
      () => bullJobs('failed'),
      (jobs) => jobs.length === 1,
    );
    repaired = true;
    await failed?.retry();
    await eventually(
      () => outboxOf(runtime),
      ([row]) => row?.state === 'done',
    );
  });

  it('lives again, with all its attempts, by a command of ops when Redis has forgotten it', async () => {
    let repaired = false;
    start(scripted(async () => (repaired ? done() : giveUp('no such registrar'))));
    await enqueueScripted();
    await settled();
    const [failed] = await eventually(
      () => bullJobs('failed'),
      (jobs) => jobs.length === 1,
    );
    await failed?.remove();
    const [dead] = await listDeadJobs(runtime, 10);
    expect(dead).toMatchObject({ queue: 'maintenance', attempts: 1, reason: 'no such registrar' });
    repaired = true;
    await retryDeadJob(runtime, dead?.id ?? 0);
    await eventually(
      () => outboxOf(runtime),
      ([row]) => row?.state === 'done' && row.attempts === 1,
    );
    await expect(retryDeadJob(runtime, dead?.id ?? 0)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await listDeadJobs(runtime, 10)).toEqual([]);
  });

  it('does not use up its attempts by being snoozed', async () => {
    const attempts: number[] = [];
    start(
      scripted(async ({ attempt }) => {
        attempts.push(attempt);
        return attempts.length < 5 ? snooze(addMs(runtime.clock.now(), 5)) : done();
      }),
    );
    await enqueueScripted();
    expect(await settled()).toMatchObject({ state: 'done', attempts: 1 });
    expect(attempts).toEqual([1, 1, 1, 1, 1]);
    const completed = await eventually(
      () => bullJobs('completed'),
      (jobs) => jobs.length === 4,
    );
    expect(completed.map((each) => each.returnvalue)).toEqual(Array(4).fill('snoozed'));
  });

  it('has all its attempts again after a snooze', async () => {
    const seen: number[] = [];
    const script = [
      () => retry('away'),
      () => retry('away'),
      () => snooze(runtime.clock.now()),
      () => retry('away'),
      () => retry('away'),
      done,
    ];
    start(
      scripted(async ({ attempt }) => {
        seen.push(attempt);
        return (script[seen.length - 1] ?? done)();
      }),
    );
    await enqueueScripted();
    expect(await settled()).toMatchObject({ state: 'done', attempts: 3 });
    expect(seen).toEqual([1, 2, 3, 1, 2, 3]);
  });

  /** What Postgres answers in a fault, by its SQLSTATE. */
  const failWith = (code: string) =>
    runtime.db.knex.raw(
      `do $$ begin raise exception 'told to fail' using errcode = '${code}'; end $$`,
    );

  it('keeps its attempts while Postgres is full, read-only, locked or away', async () => {
    const faults = ['53100', '25006', '55P03', '53200', '40P01', '57P01'];
    const attempts: number[] = [];
    start(
      scripted(async ({ attempt }) => {
        attempts.push(attempt);
        const fault = faults.shift();
        if (fault) await failWith(fault);
        return done();
      }),
    );
    await enqueueScripted();
    const [row] = await eventually(
      async () => {
        const rows = await outboxOf(runtime);
        // The wait is over; nothing of it is slept through here.
        if (rows[0]?.state === 'pending') runtime.clock.advance(10_000);
        return rows;
      },
      (all) => all[0]?.state === 'done' || all[0]?.state === 'dead',
    );
    expect(row).toMatchObject({ state: 'done', attempts: 1 });
    expect(attempts).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(await bullJobs('failed')).toEqual([]);
  });

  it('loses an attempt to what its own statement may have caused', async () => {
    start(
      scripted(async () => {
        await failWith('57014');
        return done();
      }),
    );
    await enqueueScripted();
    expect(await settled()).toMatchObject({ state: 'dead', attempts: 3 });
  });

  it('is dead without being run when its payload is malformed', async () => {
    start(scripted(async () => done()));
    await enqueueScripted({ m: 'x' });
    const row = await settled();
    expect(row?.state).toBe('dead');
    expect(row?.last_error).toMatch(/payload is malformed.*'n'/);
  });

  it('is told when its time is up, and retried', async () => {
    const signals: boolean[] = [];
    start(
      scripted(
        async ({ attempt, signal }) => {
          if (attempt > 1) return done();
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          signals.push(signal.aborted);
          throw new Error('interrupted');
        },
        { deadlineMs: 50 },
      ),
    );
    await enqueueScripted();
    expect(await settled()).toMatchObject({ state: 'done', attempts: 2 });
    expect(signals).toEqual([true]);
  });

  it('does not hold its worker when it ignores its deadline', async () => {
    const never = new Promise<Outcome>(() => {});
    start(scripted(async ({ attempt }) => (attempt === 1 ? never : done()), { deadlineMs: 50 }));
    await enqueueScripted();
    expect(await settled()).toMatchObject({ state: 'done', attempts: 2 });
  });

  it('is marked done once, by the transaction of its result', async () => {
    const finishing = async ({ job }: JobContext) => {
      await runtime.db.transact(async (uow) => uow.jobs.finish(job));
      return done();
    };
    start(scripted(finishing));
    const sent = await statementsOf(runtime, async () => {
      await enqueueScripted();
      expect(await settled()).toMatchObject({ state: 'done', attempts: 1 });
      await fleet?.stop();
    });
    expect(sent.filter(({ sql }) => sql.includes('finish_job('))).toHaveLength(1);
  });

  it('does nothing when the dispatch that carried it is stale', async () => {
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

  it('begins once for the present dispatch among those that begin together', async () => {
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

  it('keeps its lease while it runs, with all others of its worker', async () => {
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
    await enqueueScripted({ n: 1 });
    await enqueueScripted({ n: 2 });
    await eventually(
      () => outboxOf(runtime),
      (rows) => rows.every((row) => row.attempts === 1),
    );
    const before = await leases();
    runtime.clock.advance(10_000);
    await eventually(leases, (now) => now.every((lease, at) => lease > (before[at] ?? lease)));
    letEnd();
    expect(await settled()).toMatchObject({ state: 'done', attempts: 1 });
    await fleet.stop();
    await short.stop();
    fleet = undefined;
  });

  it('leaves one effect when two workers run it at the same time', async () => {
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
          await uow.sql('effects').insert({ n });
          uow.jobs.finish(job);
        });
        return done();
      }),
    );
    await enqueueScripted();
    const [row] = await eventually(
      () => outboxOf(runtime),
      ([each]) => each?.attempts === 1,
    );
    const queue = runtime.queues.get('maintenance');
    await queue.add('scripted', { outboxId: row?.id, epoch: row?.epoch });
    await settled();
    await eventually(async () => (await queue.getActiveCount()) === 0);
    expect(running).toBe(2);
    expect(await effectsOf(runtime)).toEqual([1]);
  });

  it('is kept for a worker that knows it', async () => {
    start([]);
    await enqueueScripted();
    const [row] = await eventually(
      () => outboxOf(runtime),
      (all) => all[0]?.last_error !== null,
    );
    expect(row).toMatchObject({ state: 'pending', attempts: 1 });
    expect(row?.last_error).toMatch(/no worker of this version knows maintenance\/scripted/);
  });

  it('is counted and timed', async () => {
    start(EFFECT_ROWS);
    await enqueueEffects(runtime, [1, 2]);
    await settled();
    const text = await eventually(
      () => runtime.metrics.registry.metrics(),
      (all) => /marketplace_jobs_total\{.*outcome="done".*\} 2/.test(all),
    );
    expect(text).toMatch(/marketplace_job_seconds_count\{queue="maintenance",name="effect"\} 2/);
  });
});
