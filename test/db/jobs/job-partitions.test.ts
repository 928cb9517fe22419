import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hastenJobs, readNextJob } from '../../../shared/messaging/jobs/hasten-jobs.ts';
import { createJobLifecycle } from '../../../shared/messaging/jobs/job-lifecycle.ts';
import { JOB_LOG } from '../../../shared/messaging/jobs/job-log.ts';
import { recordJobs } from '../../../shared/messaging/jobs/record-jobs.ts';
import { dropExpiredPartitions } from '../../../shared/operations/partitions/partitioned-tables.ts';
import { deleteExpired } from '../../../shared/operations/retention/delete-expired.ts';
import { addMs, DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { addPartitions } from '../../../shared/platform/database/partitioned-log.ts';
import { Pipeline } from '../../../shared/platform/database/pipeline.ts';
import type { Tx } from '../../../shared/platform/database/postgres.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { explain, rowsReadBy, type Statement, statementsOf } from '../../support/statements.ts';

let runtime: TestRuntime;

beforeEach(async () => {
  runtime = await createTestRuntime();
  // A Monday long after the initial partitions.
  runtime.clock.set('2080-01-01T10:00:00Z');
  await dropWeeks();
});
afterEach(() => runtime.stop());

const now = () => runtime.clock.now();
const table = () => runtime.db.knex('outbox');
const dropWeeks = async () => (await dropExpiredPartitions(runtime)).outbox;
const makePartitions = () => addPartitions(runtime.db.knex, JOB_LOG, now());
const keys = () => runtime.db.knex('job_keys').orderBy('dedupe_key').pluck('dedupe_key');

let nth = 0;

/** Inserts a job created now and returns its id. */
async function givenJob(
  state: string,
  { key = null, doneAt = now() }: { key?: string | null; doneAt?: Date } = {},
): Promise<number> {
  nth += 1;
  const id = Number(JOB_LOG.firstIdAt(now())) + nth;
  await table().insert({
    id,
    queue: 'maintenance',
    name: 'work',
    payload: {},
    dedupe_key: key,
    state,
    run_at: now(),
    created_at: now(),
    done_at: state === 'done' ? doneAt : null,
  });
  return id;
}

/** Records jobs with these keys in their own unit of work. */
const record = (tx: Tx, ...dedupeKeys: string[]) =>
  recordJobs(
    new Pipeline(tx),
    dedupeKeys.map((dedupeKey) => ({
      queue: 'maintenance',
      name: 'again',
      payload: {},
      runAt: now(),
      dedupeKey,
    })),
    now(),
  );
const recordAlone = (...dedupeKeys: string[]) =>
  runtime.db.knex.transaction((tx) => record(tx, ...dedupeKeys));
const keysOf = (name: string) => table().where({ name }).orderBy('dedupe_key').pluck('dedupe_key');

/** The weekly partition of each job, by job id. */
async function weeks(): Promise<Record<string, string>> {
  const { rows } = await runtime.db.knex.raw<{ rows: { id: string; week: string }[] }>(
    `select id, replace(tableoid::regclass::text, 'outbox_', '') as week from outbox order by id`,
  );
  return Object.fromEntries(rows.map(({ id, week }) => [id, week]));
}

describe('jobs', () => {
  it('have ascending, time-based ids that fit in a JavaScript number', async () => {
    const begun = Date.now();
    await recordAlone('first', 'second', 'third');
    const ids = (await table().orderBy('dedupe_key').pluck('id')) as number[];
    expect(ids).toEqual([...ids].sort((one, other) => one - other));
    for (const id of ids) {
      expect(id).toBeGreaterThanOrEqual(Number(JOB_LOG.firstIdAt(new Date(begun - MINUTE))));
      expect(id).toBeLessThan(Number(JOB_LOG.firstIdAt(new Date(Date.now() + MINUTE))));
    }
    expect(Number(JOB_LOG.firstIdAt(new Date('2087-12-31')))).toBeLessThan(2 ** 53);
  });

  it('are stored in weekly partitions created ahead, with earlier jobs moved in', async () => {
    const early = await givenJob('pending', { key: 'early' });
    expect(await weeks()).toEqual({ [early]: 'default' });
    expect([await makePartitions(), await makePartitions()]).toEqual([2, 0]);
    runtime.clock.advance(7 * DAY);
    const late = await givenJob('pending');
    expect(await weeks()).toEqual({ [early]: '20800101', [late]: '20800108' });
    expect(await makePartitions()).toBe(1);
    expect(await keys()).toEqual(['early']);
  });

  it('have partitions with the same indexes, settings, and trigger as the table', async () => {
    await makePartitions();
    const { rows } = await runtime.db.knex.raw(
      `select distinct array_to_string(c.reloptions, ', ') as settings,
         (select count(*)::int from pg_index where indrelid = c.oid) as indexes,
         (select count(*)::int from pg_trigger where tgrelid = c.oid) as triggers
       from pg_class c join pg_inherits i on i.inhrelid = c.oid where i.inhparent = 'outbox'::regclass`,
    );
    expect(rows).toEqual([
      {
        settings: 'autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000',
        indexes: 5,
        triggers: 1,
      },
    ]);
  });

  it('are dropped with their week, unless one of them is unfinished', async () => {
    await makePartitions();
    const old = [await givenJob('done'), await givenJob('done')];
    runtime.clock.advance(7 * DAY);
    const late = await givenJob('done');
    await makePartitions();
    const left = () => table().orderBy('id').pluck('id');
    // Even the last moment of the first week is kept for the whole period.
    runtime.clock.set('2080-01-14T23:59:59Z');
    expect(await dropWeeks()).toBe(0);
    runtime.clock.set('2080-01-15T00:00:00Z');
    for (const state of ['pending', 'dispatched', 'dead']) {
      await table()
        .where({ id: Number(old[0]) })
        .update({ state });
      expect(await dropWeeks()).toBe(0);
      expect(await left()).toEqual([...old, late]);
    }
    await table()
      .where({ id: Number(old[0]) })
      .update({ state: 'done' });
    expect(await dropWeeks()).toBe(1);
    expect(await left()).toEqual([late]);
  });

  it('are dropped on time even when ids gain a digit', async () => {
    runtime.clock.set('2027-07-12T00:00:00Z');
    const mades: number[] = [];
    for (let week = 0; week < 4; week += 1) {
      mades.push(await makePartitions());
      await givenJob('done');
      runtime.clock.advance(7 * DAY);
    }
    expect(mades).toEqual([2, 1, 1, 1]);
    expect(Object.values(await weeks())).toEqual(['20270712', '20270719', '20270726', '20270802']);
    for (const [at, first] of [
      ['2027-07-26', '20270719'],
      ['2027-08-02', '20270726'],
      ['2027-08-09', '20270802'],
    ] as const) {
      runtime.clock.set(`${at}T00:00:00Z`);
      expect(await dropWeeks()).toBe(1);
      expect(Object.values(await weeks())[0]).toBe(first);
    }
  });

  it('are not blocked by open reads, and get their partitions later', async () => {
    const reading = await runtime.db.knex.transaction();
    await reading.raw('select count(*) from outbox');
    expect(await makePartitions()).toBe(0);
    await reading.commit();
    expect(await makePartitions()).toBe(2);
  });
});

describe('the dedupe key of a job', () => {
  it('prevents duplicates across weeks and within one statement', async () => {
    await makePartitions();
    await givenJob('pending', { key: 'old' });
    runtime.clock.advance(7 * DAY);
    await givenJob('done', { key: 'late' });
    await recordAlone('old', 'new', 'late', 'new');
    await recordAlone('new');
    expect(await keysOf('again')).toEqual(['new']);
    expect(await keys()).toEqual(['late', 'new', 'old']);
  });

  it('is free again when the first transaction with it rolls back', async () => {
    const first = await runtime.db.knex.transaction();
    await record(first, 'key');
    const second = recordAlone('key');
    await first.rollback();
    await second;
    expect(await keysOf('again')).toEqual(['key']);
  });

  it('is forgotten a week after its job was done, never before', async () => {
    const keepMs = 7 * DAY;
    await makePartitions();
    for (const state of ['pending', 'dispatched', 'dead', 'done'])
      await givenJob(state, { key: state });
    await givenJob('done', { key: 'late', doneAt: addMs(now(), HOUR) });
    await givenJob('done', { key: 'gone' });
    await table().where({ dedupe_key: 'gone' }).delete();
    runtime.clock.advance(keepMs);
    expect(await deleteExpired(runtime)).toEqual({});
    runtime.clock.advance(MINUTE);
    expect(await deleteExpired(runtime)).toEqual({ job_keys: 2 });
    expect(await keys()).toEqual(['dead', 'dispatched', 'late', 'pending']);
    runtime.clock.advance(HOUR);
    expect(await deleteExpired(runtime)).toEqual({ job_keys: 1 });
    await recordAlone('done', 'dead');
    expect(await keysOf('again')).toEqual(['done']);
  });

  it('finds its job so that it can run sooner', async () => {
    await makePartitions();
    await givenJob('dispatched', { key: 'one' });
    runtime.clock.advance(7 * DAY);
    await givenJob('pending', { key: 'other' });
    await givenJob('pending', { key: 'foreign' });
    const names = ['one', 'other', 'none'];
    const next = { dispatched: 1, nextRunAt: now() };
    expect(await readNextJob(runtime.db.knex, names)).toEqual(next);
    await runtime.db.transact((uow) => hastenJobs(uow, names, HOUR));
    expect(await readNextJob(runtime.db.knex, names)).toEqual({
      ...next,
      nextRunAt: addMs(now(), -HOUR),
    });
    expect(await table().where({ run_at: now() }).pluck('dedupe_key')).toEqual(['foreign']);
  });
});

describe('relay and worker statements', () => {
  const lifecycle = () => createJobLifecycle(runtime.db, runtime.clock, 60_000);

  /** Finished jobs known to the planner statistics, and a backlog unknown to them. */
  async function givenBacklog(): Promise<number> {
    for (let week = 0; week < 3; week += 1) {
      await makePartitions();
      const id = await givenJob('done');
      await runtime.db.knex.raw(
        `insert into outbox (id, queue, name, payload, state, run_at, created_at, done_at)
         select id + n, queue, name, payload, state, run_at, created_at, done_at
         from outbox, generate_series(1, 3000) n where id = ?`,
        [id],
      );
      nth += 3_000;
      runtime.clock.advance(7 * DAY);
    }
    await makePartitions();
    await runtime.db.knex.raw('analyze outbox');
    const first = await givenJob('pending');
    await runtime.db.knex.raw(
      `insert into outbox (id, queue, name, payload, run_at, created_at)
       select id + n, queue, name, payload, run_at, created_at
       from outbox, generate_series(1, 5000) n where id = ?`,
      [first],
    );
    return first;
  }

  const only = async (work: () => Promise<unknown>) => {
    const [statement] = await statementsOf(runtime, work);
    return statement as Statement;
  };

  it('read few rows to claim jobs, even with stale statistics', async () => {
    await givenBacklog();
    const claim = await only(() => lifecycle().claimDue(20));
    // Each row is read once to lock it and once to update it.
    expect(await rowsReadBy(runtime, claim, 'outbox')).toBeLessThanOrEqual(100);
  });

  it("touch only the partition of the job's week", async () => {
    const id = await givenBacklog();
    await lifecycle().claimDue(1);
    const ticket = { outboxId: id, epoch: 1 };
    for (const work of [
      () => lifecycle().start(ticket),
      () => lifecycle().finish(ticket),
      () => lifecycle().retry(ticket, 0, ''),
    ]) {
      const plan = JSON.stringify(
        await explain(runtime, await only(work), { options: 'format json' }),
      );
      expect(new Set(plan.match(/outbox_(?:\d{8}|default)(?=")/g))).toEqual(
        new Set(['outbox_20800122']),
      );
    }
  });
});
