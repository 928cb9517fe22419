import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listDeadJobs, retryDeadJob } from '../../shared/messaging/jobs/dead-jobs.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import {
  done,
  giveUp,
  type JobContext,
  type Outcome,
  type Registry,
  retry,
  snooze,
} from '../../workers/runtime/job-handler.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import {
  createEffects,
  EFFECT_ROWS,
  effectsOf,
  enqueueEffects,
  outboxOf,
} from '../support/effects.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import {
  bullJobs,
  enqueueScripted,
  scripted,
  scriptedJob,
  settled,
} from '../support/scripted-jobs.ts';
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

describe('an outbox job', () => {
  it('runs exactly once', async () => {
    start(EFFECT_ROWS);
    await enqueueEffects(runtime, [1, 2, 3]);
    await settled(runtime);
    expect(await effectsOf(runtime)).toEqual([1, 2, 3]);
    expect((await outboxOf(runtime)).map((row) => row.attempts)).toEqual([1, 1, 1]);
  });

  it('is not picked up before its transaction commits', async () => {
    start(EFFECT_ROWS);
    const aborted = runtime.db.transact(async (uow) => {
      uow.jobs.add(scriptedJob, { n: 9 });
      throw new Error('the business went wrong');
    });
    await expect(aborted).rejects.toThrow('the business went wrong');
    await enqueueEffects(runtime, [1]);
    await settled(runtime);
    expect(await effectsOf(runtime)).toEqual([1]);
  });

  it('is retried on its schedule, counting attempts, and is dead after the last one', async () => {
    const seen: { attempt: number; last: boolean }[] = [];
    start(
      scripted(async ({ attempt, lastAttempt }) => {
        seen.push({ attempt, last: lastAttempt });
        throw new Error(`fault ${attempt}`);
      }),
    );
    await enqueueScripted(runtime);
    expect(await settled(runtime)).toMatchObject({
      state: 'dead',
      attempts: 3,
      last_error: 'fault 3',
    });
    expect(seen).toEqual([
      { attempt: 1, last: false },
      { attempt: 2, last: false },
      { attempt: 3, last: true },
    ]);
    const failed = await eventually(
      () => bullJobs(runtime, 'failed'),
      (jobs) => jobs.length === 3,
    );
    expect(failed.map((each) => each.failedReason).sort()).toEqual([
      'fault 1',
      'fault 2',
      'fault 3',
    ]);
  });

  it('waits for the delay that a retry asks for', async () => {
    start(scripted(async ({ attempt }) => (attempt === 1 ? retry('later', DAY) : done())));
    await enqueueScripted(runtime);
    const [row] = await eventually(
      () => outboxOf(runtime),
      (all) => all[0]?.last_error === 'later',
    );
    expect(row).toMatchObject({ state: 'pending', attempts: 1 });
    runtime.clock.advance(DAY);
    expect(await settled(runtime)).toMatchObject({ state: 'done', attempts: 2 });
  });

  it('is dead as soon as it gives up, and runs again when ops retries it in the queue dashboard', async () => {
    let repaired = false;
    start(scripted(async () => (repaired ? done() : giveUp('no such registrar'))));
    await enqueueScripted(runtime);
    expect(await settled(runtime)).toMatchObject({
      state: 'dead',
      last_error: 'no such registrar',
    });
    const [failed] = await eventually(
      () => bullJobs(runtime, 'failed'),
      (jobs) => jobs.length === 1,
    );
    repaired = true;
    await failed?.retry();
    await eventually(
      () => outboxOf(runtime),
      ([row]) => row?.state === 'done',
    );
  });

  it('can be retried by command with all its attempts after Redis has lost it', async () => {
    let repaired = false;
    start(scripted(async () => (repaired ? done() : giveUp('no such registrar'))));
    await enqueueScripted(runtime);
    await settled(runtime);
    const [failed] = await eventually(
      () => bullJobs(runtime, 'failed'),
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

  it('does not use up attempts when it is snoozed', async () => {
    const attempts: number[] = [];
    start(
      scripted(async ({ attempt }) => {
        attempts.push(attempt);
        return attempts.length < 5 ? snooze(addMs(runtime.clock.now(), 5)) : done();
      }),
    );
    await enqueueScripted(runtime);
    expect(await settled(runtime)).toMatchObject({ state: 'done', attempts: 1 });
    expect(attempts).toEqual([1, 1, 1, 1, 1]);
    const completed = await eventually(
      () => bullJobs(runtime, 'completed'),
      (jobs) => jobs.length === 4,
    );
    expect(completed.map((each) => each.returnvalue)).toEqual(Array(4).fill('snoozed'));
  });

  it('gets all its attempts back after a snooze', async () => {
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
    await enqueueScripted(runtime);
    expect(await settled(runtime)).toMatchObject({ state: 'done', attempts: 3 });
    expect(seen).toEqual([1, 2, 3, 1, 2, 3]);
  });

  /** What Postgres answers in a fault, by its SQLSTATE. */
  const failWith = (code: string) =>
    runtime.db.knex.raw(
      `do $$ begin raise exception 'told to fail' using errcode = '${code}'; end $$`,
    );

  it('keeps its attempts while Postgres is full, read-only, locked or down', async () => {
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
    await enqueueScripted(runtime);
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
    expect(await bullJobs(runtime, 'failed')).toEqual([]);
  });

  it('uses an attempt when its own statement may have caused the failure', async () => {
    start(
      scripted(async () => {
        await failWith('57014');
        return done();
      }),
    );
    await enqueueScripted(runtime);
    expect(await settled(runtime)).toMatchObject({ state: 'dead', attempts: 3 });
  });

  it('is dead without running when its payload is malformed', async () => {
    start(scripted(async () => done()));
    await enqueueScripted(runtime, { m: 'x' });
    const row = await settled(runtime);
    expect(row?.state).toBe('dead');
    expect(row?.last_error).toMatch(/payload is malformed.*'n'/);
  });

  it('is aborted at its deadline and retried', async () => {
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
    await enqueueScripted(runtime);
    expect(await settled(runtime)).toMatchObject({ state: 'done', attempts: 2 });
    expect(signals).toEqual([true]);
  });

  it('does not block its worker when it ignores its deadline', async () => {
    const never = new Promise<Outcome>(() => {});
    start(scripted(async ({ attempt }) => (attempt === 1 ? never : done()), { deadlineMs: 50 }));
    await enqueueScripted(runtime);
    expect(await settled(runtime)).toMatchObject({ state: 'done', attempts: 2 });
  });

  it('is marked done once, in the transaction that writes its result', async () => {
    const finishing = async ({ job }: JobContext) => {
      await runtime.db.transact(async (uow) => uow.jobs.finish(job));
      return done();
    };
    start(scripted(finishing));
    const sent = await statementsOf(runtime, async () => {
      await enqueueScripted(runtime);
      expect(await settled(runtime)).toMatchObject({ state: 'done', attempts: 1 });
      await fleet?.stop();
    });
    expect(sent.filter(({ sql }) => sql.includes('finish_job('))).toHaveLength(1);
  });

  it('stays pending until a worker knows its name', async () => {
    start([]);
    await enqueueScripted(runtime);
    const [row] = await eventually(
      () => outboxOf(runtime),
      (all) => all[0]?.last_error !== null,
    );
    expect(row).toMatchObject({ state: 'pending', attempts: 1 });
    expect(row?.last_error).toMatch(/no worker of this version knows maintenance\/scripted/);
  });

  it('is counted and timed in the metrics', async () => {
    start(EFFECT_ROWS);
    await enqueueEffects(runtime, [1, 2]);
    await settled(runtime);
    const text = await eventually(
      () => runtime.metrics.registry.metrics(),
      (all) => /marketplace_jobs_total\{.*outcome="done".*\} 2/.test(all),
    );
    expect(text).toMatch(/marketplace_job_seconds_count\{queue="maintenance",name="effect"\} 2/);
  });
});
