import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import {
  createEffects,
  EFFECT_ROWS,
  effectsOf,
  enqueueEffects,
  outboxOf,
} from '../support/effects.ts';
import { eventually } from '../support/eventually.ts';
import { type OwnRedis, startOwnRedis } from '../support/own-redis.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

const NUMBERS = Array.from({ length: 500 }, (_, index) => index + 1);
const HOUR_MS = 3_600_000;

let redis: OwnRedis;
let runtime: TestRuntime;
let fleets: WorkerProcess[];

beforeEach(async () => {
  redis = await startOwnRedis();
  runtime = await createTestRuntime({
    REDIS_URL: redis.url,
    outboxPollMs: 20,
    reconcileMs: 100,
    SHUTDOWN_MS: '1000',
  });
  await createEffects(runtime);
  const registry = [
    ...EFFECT_ROWS,
    {
      queue: 'settlements' as const,
      name: 'hourly',
      everyMs: HOUR_MS,
      deadlineMs: 1_000,
      run: async () => {},
    },
  ];
  fleets = [1, 2].map(() => startWorkers(runtime, { queues: ['maintenance'], registry }));
});

afterEach(async () => {
  await Promise.all(fleets.map((fleet) => fleet.stop()));
  await runtime.stop();
  await redis.remove();
});

/** A wipe may catch jobs on their way into Redis: that is noticed after five seconds. */
async function someDone(atLeast: number) {
  await eventually(
    () => effectsOf(runtime),
    (all) => all.length >= atLeast,
    { everyMs: 2 },
  );
}

async function everythingDoneOnce() {
  await eventually(
    () => outboxOf(runtime),
    (rows) => rows.every((row) => row.state === 'done'),
  );
  expect(await effectsOf(runtime)).toEqual(NUMBERS);
}

async function schedulers() {
  return (await runtime.queues.get('settlements').getJobSchedulers()).map((each) => each.key);
}

describe('a worker fleet during a Redis outage', () => {
  it('loses no jobs and no schedules when Redis is flushed mid-run', async () => {
    await eventually(schedulers, (keys) => keys.includes('hourly'));
    await enqueueEffects(runtime, NUMBERS);
    for (const part of [50, 150, 250]) {
      await someDone(part);
      await redis.flushAll();
    }
    await everythingDoneOnce();
    await eventually(schedulers, (keys) => keys.includes('hourly'));
  });

  it('resumes by itself after Redis is killed and restarted', async () => {
    await enqueueEffects(runtime, NUMBERS);
    await someDone(50);
    await redis.kill();
    await eventually(
      () => runtime.redis.status,
      (status) => status !== 'ready',
    );
    await enqueueEffects(runtime, []);
    await redis.start();
    await everythingDoneOnce();
  });

  it('shuts down cleanly while Redis is down', async () => {
    await redis.kill();
    await Promise.all(fleets.map((fleet) => fleet.stop()));
  });
});
