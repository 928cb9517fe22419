import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startWorkers } from '../../workers/start-workers.ts';
import {
  createEffects,
  EFFECT_ROWS,
  effectsOf,
  enqueueEffects,
  enqueueHeldEffects,
  outboxOf,
  releaseEffects,
} from '../support/effects.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { endProcess, spawnProgram } from '../support/service-process.ts';

const CHILD = fileURLToPath(new URL('../support/worker-child.ts', import.meta.url));

let runtime: TestRuntime;
let child: ChildProcess | undefined;

beforeEach(async () => {
  runtime = await createTestRuntime({
    jobLockMs: 600,
    outboxLeaseMs: 1_500,
    WEBHOOK_TIMEOUT_MS: '1000',
    outboxPollMs: 20,
    reconcileMs: 100,
  });
  await createEffects(runtime);
});

afterEach(async () => {
  if (child) await endProcess(child, 'SIGKILL');
  child = undefined;
  await runtime.stop();
});

function spawnWorker(): ChildProcess {
  child = spawnProgram([CHILD], runtime.env);
  return child;
}

/** A worker that is to go in order: its jobs stay its own, however long the machine holds it up. */
function startWorkersThatGo(shutdownMs: number) {
  const config = { ...runtime.config, jobLockMs: 30_000, shutdownMs };
  return startWorkers({ ...runtime, config }, { queues: ['maintenance'], registry: EFFECT_ROWS });
}

async function untilBegun(count: number) {
  await eventually(
    () => outboxOf(runtime),
    (rows) => rows.filter((row) => row.attempts === 1).length === count,
  );
}

describe('a worker that stops', () => {
  it('has its batches taken over when it is killed midway', async () => {
    const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
    await enqueueEffects(runtime, numbers, 20, 100);
    const worker = spawnWorker();
    await eventually(() => worker.signalCode !== null);
    const done = (await outboxOf(runtime)).filter((row) => row.state === 'done');
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThan(numbers.length);
    const fleet = startWorkers(runtime, { queues: ['maintenance'], registry: EFFECT_ROWS });
    try {
      await eventually(
        () => outboxOf(runtime),
        (rows) => rows.every((row) => row.state === 'done'),
      );
      expect(await effectsOf(runtime)).toEqual(numbers);
    } finally {
      await fleet.stop();
    }
  });

  it('has its jobs taken over when it is killed midway', async () => {
    const worker = spawnWorker();
    await enqueueEffects(runtime, [1, 2, 3], 60_000);
    await untilBegun(3);
    await endProcess(worker, 'SIGKILL');

    const fleet = startWorkers(runtime, { queues: ['maintenance'], registry: EFFECT_ROWS });
    try {
      await eventually(
        () => outboxOf(runtime),
        (rows) => rows.every((row) => row.state === 'done'),
      );
    } finally {
      await fleet.stop();
    }
    expect(await effectsOf(runtime)).toEqual([1, 2, 3]);
    expect((await outboxOf(runtime)).map((row) => row.attempts)).toEqual([2, 2, 2]);
  });

  it('finishes running jobs before it stops', async () => {
    const fleet = startWorkersThatGo(120_000);
    await enqueueEffects(runtime, [1, 2], 300);
    await untilBegun(2);
    await fleet.stop();
    expect(await effectsOf(runtime)).toEqual([1, 2]);
    expect(await runtime.queues.get('maintenance').getActiveCount()).toBe(0);
  });

  it('returns jobs it cannot finish in time without using an attempt', async () => {
    const fleet = startWorkersThatGo(200);
    await enqueueEffects(runtime, [1, 2], 60_000);
    await untilBegun(2);
    await fleet.stop();
    expect(await outboxOf(runtime)).toMatchObject([
      { state: 'pending', attempts: 0 },
      { state: 'pending', attempts: 0 },
    ]);
    expect(await runtime.queues.get('maintenance').getActiveCount()).toBe(0);
    expect(await effectsOf(runtime)).toEqual([]);
  });

  it('leaves no finished jobs in Redis when its job locks have expired', async () => {
    const late = { ...runtime.config, jobLockMs: 1 };
    const options = { queues: ['maintenance'], registry: EFFECT_ROWS } as const;
    const fleet = startWorkers({ ...runtime, config: late }, options);
    try {
      await enqueueEffects(runtime, [1, 2, 3]);
      const queue = runtime.queues.get('maintenance');
      const left = async () => {
        const isDone = (await outboxOf(runtime)).every((row) => row.state === 'done');
        return isDone ? queue.getJobCountByTypes('wait', 'active') : undefined;
      };
      expect(await eventually(left, (count) => count === 0)).toBe(0);
      expect(await queue.getFailedCount()).toBe(0);
    } finally {
      await fleet.stop();
    }
  });

  it('joins its own run when it gets the same job again because its lock has expired', async () => {
    const late = { ...runtime.config, jobLockMs: 1 };
    const options = { queues: ['maintenance'], registry: EFFECT_ROWS } as const;
    const fleet = startWorkers({ ...runtime, config: late }, options);
    try {
      await enqueueHeldEffects(runtime, [1]);
      const queue = runtime.queues.get('maintenance');
      await eventually(async () => {
        const [job] = await queue.getJobs(['wait', 'active']);
        return job !== undefined && job.attemptsStarted > 2;
      });
      await releaseEffects(runtime);
      await eventually(
        () => outboxOf(runtime),
        (rows) => rows.every((row) => row.state === 'done'),
      );
      expect(await effectsOf(runtime)).toEqual([1]);
      expect(await outboxOf(runtime)).toMatchObject([{ attempts: 1 }]);
    } finally {
      await fleet.stop();
    }
  });

  it('exits with code 0 on SIGTERM', async () => {
    const worker = spawnWorker();
    await enqueueEffects(runtime, [1]);
    await eventually(
      () => effectsOf(runtime),
      (all) => all.length === 1,
    );
    expect(await endProcess(worker, 'SIGTERM')).toBe(0);
  });
});
