import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureSchedulers } from '../../workers/outbox/reconciler.ts';
import type { ScheduledTask, WorkContext } from '../../workers/runtime/job-handler.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { withResolvers } from '../support/scripted-jobs.ts';

const HOUR_MS = 3_600_000;

let runtime: TestRuntime;

beforeEach(async () => {
  runtime = await createTestRuntime({ reconcileMs: 50, SHUTDOWN_MS: String(HOUR_MS) });
});

afterEach(() => runtime.stop());

function task(work: ScheduledTask['run'], everyMs = HOUR_MS): ScheduledTask {
  return { queue: 'maintenance', name: 'tidy', everyMs, deadlineMs: 1_000, run: work };
}

describe('a schedule', () => {
  it('creates a single job no matter how many processes register it', async () => {
    const rows = [task(async () => {})];
    await Promise.all(Array.from({ length: 10 }, () => ensureSchedulers(runtime.queues, rows)));
    const queue = runtime.queues.get('maintenance');
    const jobs = await queue.getJobs(['waiting', 'delayed', 'active', 'prioritized']);
    expect(jobs).toHaveLength(1);
    expect(await queue.getJobSchedulersCount()).toBe(1);
  });

  it('runs repeatedly', async () => {
    let runs = 0;
    const fleet = startWorkers(runtime, {
      queues: ['maintenance'],
      registry: [task(async () => (runs += 1), 100)],
    });
    try {
      await eventually(() => runs >= 3);
    } finally {
      await fleet.stop();
    }
  });

  it('continues after a failed run', async () => {
    let runs = 0;
    const failing = async () => {
      runs += 1;
      throw new Error('fault');
    };
    const fleet = startWorkers(runtime, {
      queues: ['maintenance'],
      registry: [task(failing, 100)],
    });
    try {
      await eventually(() => runs >= 2);
    } finally {
      await fleet.stop();
    }
  });

  it('is waited for by a stopping process, or cut off at once where the next run continues', async () => {
    const started: AbortSignal[] = [];
    const released = withResolvers();
    const untilTold = ({ signal }: WorkContext) => {
      started.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const untilReleased = ({ signal }: WorkContext) => {
      started.push(signal);
      return released.promise;
    };
    const fleet = startWorkers(runtime, {
      queues: ['maintenance'],
      registry: [
        { ...task(untilTold), deadlineMs: HOUR_MS, cutOffAtStop: true },
        { ...task(untilReleased), deadlineMs: HOUR_MS, name: 'finish' },
      ],
    });
    await eventually(() => started.length === 2);
    const stopped = fleet.stop();
    expect(started.filter(({ aborted }) => aborted)).toHaveLength(1);
    released.resolve();
    await stopped;
  });

  it('is removed when its task no longer exists', async () => {
    const queue = runtime.queues.get('maintenance');
    await queue.upsertJobScheduler('former', { every: 100 }, { name: 'former' });
    const fleet = startWorkers(runtime, {
      queues: ['maintenance'],
      registry: [task(async () => {})],
    });
    try {
      await eventually(
        async () => (await queue.getJobSchedulers()).map(({ name }) => name),
        (names) => names.join() === 'tidy',
      );
      const failed = await eventually(
        () => queue.getJobs(['failed']),
        (jobs) => jobs.length > 0,
      );
      expect([...new Set(failed.map(({ name }) => name))]).toEqual(['former']);
    } finally {
      await fleet.stop();
    }
    const left = await queue.getJobs(['waiting', 'delayed', 'active', 'prioritized']);
    expect(left.map(({ name }) => name)).not.toContain('former');
  });

  it('keeps the queue position of its waiting job when registered again', async () => {
    const rows = [task(async () => {})];
    const queue = runtime.queues.get('maintenance');
    await ensureSchedulers(runtime.queues, rows);
    const [first] = await eventually(
      () => queue.getJobs(['waiting', 'delayed']),
      (jobs) => jobs.length === 1,
    );
    await queue.add('other', {});
    await ensureSchedulers(runtime.queues, rows);
    const waiting = await queue.getJobs(['waiting', 'delayed'], 0, -1, true);
    expect(waiting.map((job) => job.id)[0]).toBe(first?.id);
  });

  it('is repaired when its interval changes or its next job was deleted', async () => {
    const queue = runtime.queues.get('maintenance');
    await ensureSchedulers(runtime.queues, [task(async () => {})]);
    await ensureSchedulers(runtime.queues, [task(async () => {}, 2 * HOUR_MS)]);
    expect((await queue.getJobScheduler('tidy'))?.every).toBe(2 * HOUR_MS);

    await queue.drain(true);
    await ensureSchedulers(runtime.queues, [task(async () => {}, 2 * HOUR_MS)]);
    expect(await queue.getJobs(['waiting', 'delayed'])).toHaveLength(1);
  });
});
