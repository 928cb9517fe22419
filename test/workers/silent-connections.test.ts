import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createPostgres, type Postgres } from '../../shared/platform/database/postgres.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import {
  createEffects,
  EFFECT_ROWS,
  effectsOf,
  enqueueEffects,
  outboxOf,
} from '../support/effects.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../support/runtime.ts';
import { serviceProcess } from '../support/service-process.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { runIn } from '../support/transaction.ts';

const NUMBERS = Array.from({ length: 200 }, (_, index) => index + 1);

let runtime: TestRuntime;
let line: TcpProxy;
let worker: Awaited<ReturnType<typeof joinRuntime>>;
let fleet: WorkerProcess;

beforeEach(async () => {
  runtime = await createTestRuntime({ outboxPollMs: 20, reconcileMs: 100 });
  await createEffects(runtime);
  line = await startTcpProxy(runtime.config.redisUrl);
  worker = await joinRuntime(runtime, { REDIS_URL: line.url });
  fleet = startWorkers(worker, { queues: ['maintenance'], registry: EFFECT_ROWS });
});

afterEach(async () => {
  await fleet.stop();
  await worker.stop();
  await line.close();
  await runtime.stop();
});

describe('a worker fleet whose Redis connections go silent', () => {
  it('reconnects by itself and runs every job exactly once', async () => {
    await enqueueEffects(runtime, NUMBERS);
    await eventually(
      () => effectsOf(runtime),
      (all) => all.length >= 20,
      { everyMs: 2 },
    );
    expect(line.freeze()).toBeGreaterThan(2);
    await enqueueEffects(runtime, [NUMBERS.length + 1]);
    await eventually(
      () => outboxOf(runtime),
      (rows) => rows.every((row) => row.state === 'done'),
    );
    expect(await effectsOf(runtime)).toEqual([...NUMBERS, NUMBERS.length + 1]);
    expect(await worker.redis.ping()).toBe('PONG');
  });
});

describe('a worker process', () => {
  it('stops on time when its Postgres connections are dead', async () => {
    const postgres = await startTcpProxy(runtime.config.databaseUrl);
    const env = { ...runtime.env, DATABASE_URL: postgres.url, SHUTDOWN_MS: '500' };
    const leaving = serviceProcess('workers/main.ts', env);
    leaving.start();
    try {
      await eventually(
        () => runtime.queues.get('settlements').getJobSchedulers(),
        (schedules) => schedules.length > 0,
      );
      expect(postgres.freeze()).toBeGreaterThan(0);
      expect(await leaving.stop()).not.toBeNull();
    } finally {
      await leaving.kill();
      await postgres.close();
    }
  });
});

describe('a Postgres connection pool', () => {
  let postgres: TcpProxy;
  let db: Postgres;

  beforeEach(async () => {
    postgres = await startTcpProxy(runtime.config.databaseUrl);
    const { log } = runtime;
    const share = { atOnce: 1, waiting: 0, waitMs: 1_000 };
    const bounds = { poolSize: 2, lockMs: 1_000, share };
    const options = { ...bounds, readUrl: '', applicationName: 'test-silence', log };
    db = createPostgres({ ...options, url: postgres.url, silenceMs: 300 });
  });
  afterEach(async () => {
    await db.close();
    await postgres.close();
  });

  it('closes silent connections and opens new ones', async () => {
    await db.knex.raw('select 1');
    expect(postgres.freeze((opening) => opening.includes('test-silence'))).toBe(1);
    await expect(db.knex.raw('select 1')).rejects.toThrow('says nothing more');
    expect((await db.knex.raw('select 2 as two')).rows).toEqual([{ two: 2 }]);
  });

  it('does not interrupt a long-running statement', async () => {
    const { rows } = await db.knex.raw('select 3 as three from pg_sleep(1.5)');
    expect(rows).toEqual([{ three: 3 }]);
  });

  it('leaves an idle transaction alone while its owner is busy', async () => {
    const four = await db.transaction(async (tx) => {
      await runIn(tx, db.knex.raw('select 1'));
      await db.knex.raw('select pg_sleep(1.5)');
      return runIn(tx, db.knex.raw('select 4 as four'));
    });
    expect(four.rows).toEqual([{ four: 4 }]);
  });

  it('reads a reply that arrived while the process was too busy to check', async () => {
    const five = await db.transaction(async (tx) => {
      const asked = runIn(tx, db.knex.raw('select 1'));
      await untilSent(postgres, 'select 1');
      await setImmediate();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
      await asked;
      await runtime.db.knex.raw('select pg_sleep(0.5)');
      return runIn(tx, db.knex.raw('select 5 as five'));
    });
    expect(five.rows).toEqual([{ five: 5 }]);
  });
});

/** Resolves when a client has sent these words. */
function untilSent(line: TcpProxy, words: string): Promise<void> {
  return new Promise((resolve) => {
    line.onRequest = (chunk) => {
      if (chunk.includes(words)) resolve();
      return 'pass';
    };
  });
}
