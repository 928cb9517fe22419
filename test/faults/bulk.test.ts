import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { BulkJob } from '../../shared/domains/bulk/bulk-job.ts';
import { cancelBulkJob } from '../../shared/domains/bulk/bulk-job-lifecycle.ts';
import {
  finished,
  givenBulkJob,
  givenOwnerOf,
  itemsNow,
  jobNow,
  type Owner,
  ownedNow,
} from '../support/bulk.ts';
import { eventually } from '../support/eventually.ts';
import { type OwnRedis, startOwnRedis } from '../support/own-redis.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { type ServiceProcess, serviceProcess } from '../support/service-process.ts';

const DOMAINS = 1_000;

/** Two worker processes share one bulk job while they are killed and Redis is wiped. */
describe('a bulk job under faults', () => {
  let redis: OwnRedis;
  let runtime: TestRuntime;
  let workers: ServiceProcess[];
  let owner: Owner;

  beforeAll(async () => {
    redis = await startOwnRedis();
    runtime = await createTestRuntime({
      REDIS_URL: redis.url,
      jobLockMs: 800,
      outboxLeaseMs: 2_000,
      WEBHOOK_TIMEOUT_MS: '1500',
      reconcileMs: 200,
      SHUTDOWN_MS: '200',
      bulkChunkSize: 50,
      BULK_CONCURRENCY: '2',
      bulkParallelCalls: 4,
      // What a test locks stays locked for as long as the test needs.
      databaseLockMs: 120_000,
    });
    workers = [1, 2].map(() => serviceProcess('test/support/bulk-worker-child.ts', runtime.env));
    for (const worker of workers) worker.start();
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await runtime.stop();
    await redis.remove();
  });

  beforeEach(async () => {
    owner = await givenOwnerOf(runtime, DOMAINS);
  });

  const effectsOf = ({ id }: BulkJob) =>
    runtime.db.knex('sandbox_registrar_effects').where('client_reference', 'like', `${id}:%`);
  const countEffects = async (job: BulkJob): Promise<number> =>
    Number((await effectsOf(job).count().first())?.count);

  /** Ends, wipes and starts at random points of the work; every kind of it once. */
  async function disturb(job: BulkJob): Promise<void> {
    const [first, second] = workers;
    const restart = async (how: 'kill' | 'stop', ...which: (ServiceProcess | undefined)[]) => {
      await Promise.all(which.map((worker) => worker?.[how]()));
      for (const worker of which) worker?.start();
    };
    const acts = [
      () => restart('kill', first),
      () => restart('kill', second),
      () => redis.flushAll(),
      () => restart('stop', first),
      () => restart('kill', first, second),
      () => Promise.all([restart('kill', second), redis.flushAll()]),
    ];
    const points = acts.map(() => Math.floor(Math.random() * DOMAINS));
    for (const [at, point] of points.sort((a, b) => a - b).entries()) {
      await eventually(
        async () => (await countEffects(job)) >= point || (await isOver(job)),
        Boolean,
        { everyMs: 20 },
      );
      await acts[at]?.();
    }
  }

  const isOver = async (job: BulkJob) => (await jobNow(runtime, job)).finishedAt !== null;

  it('changes every domain exactly once', async () => {
    const before = await ownedNow(runtime, owner);
    const job = await givenBulkJob(runtime, owner, { op: 'renew', params: { years: 1 } });
    await disturb(job);
    expect(await finished(runtime, job)).toMatchObject({
      status: 'completed',
      succeeded: DOMAINS,
      failed: 0,
    });
    expect((await effectsOf(job).pluck('domain')).sort()).toEqual([...owner.domains].sort());
    const after = await ownedNow(runtime, owner);
    for (const [at, { expiresAt }] of before.entries()) {
      const year = expiresAt.getUTCFullYear() + 1;
      expect(after[at]?.expiresAt.getUTCFullYear()).toBe(year);
    }
    const versions = await runtime.db
      .knex('sandbox_registrar_domains')
      .whereIn('domain', owner.domains)
      .distinct('version')
      .pluck('version');
    expect(versions).toEqual([2]);
  }, 240_000);

  it('respects a cancellation: counts what had started and leaves the rest unchanged', async () => {
    // However fast the workers are, they stand still in the middle.
    const blocker = new pg.Client(runtime.config.databaseUrl);
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query(
      'select 1 from sandbox_registrar_domains where domain = any($1::text[]) for update',
      [owner.domains.slice(DOMAINS / 2)],
    );
    const job = await givenBulkJob(runtime, owner, { op: 'lock', params: { enabled: false } });
    await eventually(async () => (await countEffects(job)) > DOMAINS / 10, Boolean, {
      everyMs: 20,
    });
    await Promise.all(workers.map((worker) => worker.kill()));
    await blocker.query('rollback');
    await blocker.end();
    const cancelled = await runtime.db.transact((uow) => cancelBulkJob(uow, job));
    expect(cancelled.status).toBe('cancelled');
    await redis.flushAll();
    for (const worker of workers) worker.start();
    const over = await finished(runtime, job);
    expect(over).toMatchObject({ status: 'cancelled', failed: 0, cancelled: cancelled.cancelled });
    expect(over.cancelled).toBeGreaterThan(0);
    const items = await itemsNow(runtime, job);
    const done = items.filter(({ state }) => state === 'ok').map(({ domain }) => domain);
    expect(done).toHaveLength(over.succeeded);
    expect((await effectsOf(job).pluck('domain')).sort()).toEqual(done.sort());
  });
});
