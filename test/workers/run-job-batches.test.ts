import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { done, giveUp, type Registry, retry } from '../../workers/runtime/job-handler.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { outboxOf } from '../support/effects.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import {
  bullJobs,
  scripted,
  scriptedJob,
  settled,
  withResolvers,
} from '../support/scripted-jobs.ts';

let runtime: TestRuntime;
let fleet: WorkerProcess | undefined;

beforeEach(async () => {
  runtime = await createTestRuntime({ outboxPollMs: 20, reconcileMs: 100 });
});

afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
  await runtime.stop();
});

function start(registry: Registry): void {
  fleet = startWorkers(runtime, { queues: ['maintenance'], registry });
}

describe('jobs in a batch', () => {
  const BACKLOG = Array.from({ length: 200 }, (_, index) => index + 1);

  /** Due before the relay starts, so that they are claimed together. */
  async function enqueueBacklog() {
    await runtime.db.transact(async (uow) => {
      for (const n of BACKLOG) uow.jobs.add(scriptedJob, { n });
    });
  }

  it('are retried and given up individually', async () => {
    await enqueueBacklog();
    const runs: number[] = [];
    start(
      scripted(async ({ attempt }, { n }) => {
        runs.push(n);
        if (n % 20 === 0) return giveUp('no such registrar');
        return n % 10 === 0 && attempt === 1 ? retry('later') : done();
      }),
    );
    await settled(runtime);
    const rows = await outboxOf(runtime);
    expect(rows.filter(({ state }) => state === 'dead')).toHaveLength(10);
    expect(rows.filter(({ attempts }) => attempts === 2)).toHaveLength(10);
    expect(runs).toHaveLength(BACKLOG.length + 10);
    const failed = await eventually(
      () => bullJobs(runtime, 'failed'),
      (jobs) => jobs.length === 20,
    );
    expect(new Set(failed.map(({ failedReason }) => failedReason))).toEqual(
      new Set(['no such registrar', 'later']),
    );
  });

  it('do not wait behind a slow job', async () => {
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
    await settled(runtime);
    const rows = await outboxOf(runtime);
    expect(new Set(rows.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['done 1']),
    );
    // What was put back came alone.
    expect(rows.filter(({ epoch }) => epoch === 2).length).toBeGreaterThanOrEqual(1);
  });

  it('never exceed the concurrency of the queue', async () => {
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
    await settled(runtime);
    expect(most).toBe(4);
  });
});
