import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createFleetMetrics } from '../../../shared/operations/monitoring/fleet-metrics.ts';
import type { FleetStats } from '../../../shared/operations/monitoring/fleet-stats.ts';
import { readLateWork } from '../../../shared/operations/monitoring/late-work.ts';
import { createServiceStatus } from '../../../shared/operations/monitoring/service-status.ts';
import { addMs, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner } from '../../support/factories.ts';
import { metricsIn, type Sample, sumOf } from '../../support/metrics.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { pagesReadBy, statementsOf } from '../../support/statements.ts';
import { givenTransactions } from '../../support/transactions.ts';
import { givenWaitingEndpoints } from '../../support/webhooks.ts';

const FROM_POSTGRES = ['backlog', 'deliveries', 'runs', 'work', 'ledger'] as const;

describe('monitoring figures', () => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await createTestRuntime();
  });
  afterAll(() => runtime.stop());

  /** How many pages the query of a figure reads. */
  async function pagesOf(figure: keyof FleetStats): Promise<number> {
    const sent = await statementsOf(runtime, () => runtime.figures[figure](0));
    const [only, ...others] = sent;
    if (!only || others.length > 0) throw new Error(`sent ${sent.length} statements`);
    return pagesReadBy(runtime, only);
  }

  it.each(FROM_POSTGRES)('read no more pages for %s as finished work grows', async (figure) => {
    await givenWork();
    const before = await pagesOf(figure);
    await givenHistory();
    expect(await pagesOf(figure)).toBeLessThan(before + 20);
  });

  it('count due and dead work, and stop at ten thousand', async () => {
    const backlog = await runtime.figures.backlog(0);
    expect(backlog.map(({ queue, state, count }) => [queue, state, count])).toEqual([
      ['payments', 'dead', 3],
      ['payments', 'pending', 5],
      ['transfers', 'dispatched', 2],
      ['transfers', 'pending', 10_000],
    ]);
    const [dead, first, dispatched, second] = backlog.map(({ oldestMs }) => oldestMs);
    expect(dead).toBe(dispatched);
    expect([Number(first) - Number(dead), Number(second) - Number(dead)]).toEqual([
      5 * MINUTE,
      2 * MINUTE,
    ]);
    const healthy = (await runtime.figures.deliveries(0)).find((row) => row.class === 'healthy');
    expect(healthy).toMatchObject({ endpoints: 50, due: 0, oldestDue: null });
    runtime.clock.advance(HOUR);
    const later = (await runtime.figures.deliveries(0)).find((row) => row.class === 'healthy');
    expect(later).toMatchObject({ endpoints: 50, due: 50, oldestDue: expect.any(Date) });
  });

  let worked = false;
  /** Creates open work: jobs in several states and pending deliveries. */
  async function givenWork(): Promise<void> {
    if (worked) return;
    worked = true;
    const now = runtime.clock.now();
    await givenWaitingEndpoints(runtime, { count: 50, due: addMs(now, HOUR) });
    for (const [queue, state, count, minutes] of [
      ['payments', 'pending', 5, -5],
      ['payments', 'pending', 7, 60],
      ['payments', 'dead', 3, 0],
      ['transfers', 'dispatched', 2, 0],
      ['transfers', 'pending', 10_100, -2],
    ] as const) {
      await runtime.db.knex.raw(
        `insert into outbox (queue, name, payload, state, run_at, created_at)
         select :queue, 'work', '{}', :state, :at, :now from generate_series(1, :count)`,
        { queue, state, count, now, at: addMs(now, minutes * MINUTE) },
      );
    }
    await runtime.db.knex.raw('vacuum analyze outbox');
  }

  let finished = false;
  /** Creates finished work: jobs, deliveries, orders, and statements. */
  async function givenHistory(): Promise<void> {
    if (finished) return;
    finished = true;
    const { knex } = runtime.db;
    const now = runtime.clock.now();
    const pool = new pg.Pool({ connectionString: runtime.config.databaseUrl, max: 1 });
    const partner = await givenPartner(runtime, { environment: 'LIVE' });
    await givenTransactions(pool, partner, 5_000, now);
    await pool.end();
    await knex.raw(
      `insert into outbox (queue, name, payload, state, run_at, created_at, done_at)
       select 'transfers', 'work', '{}', 'done', :now, :now, :now from generate_series(1, 100000)`,
      { now },
    );
    await knex.raw(
      `insert into webhook_deliveries (id, endpoint_id, partner_id, environment, event_id, event_type, state,
         attempts, next_attempt_at, created_at, finished_at)
       select d.id || 'done' || n, d.endpoint_id, d.partner_id, d.environment, d.event_id, d.event_type, 'delivered',
         1, :now, :now, :now
       from webhook_deliveries d, generate_series(1, 1000) n`,
      { now },
    );
    await knex.raw(
      `insert into ledger_checks (at, ok, entries, imbalances)
       select :now, true, n, '[]' from generate_series(1, 10000) n`,
      { now },
    );
    for (const table of ['outbox', 'webhook_deliveries', 'ledger_checks']) {
      await knex.raw(`vacuum analyze ${table}`);
    }
  }
});

describe('a job scheduled for later', () => {
  it('is not late, and its wait is measured from when it was due', async () => {
    const runtime = await createTestRuntime();
    try {
      const queue = runtime.queues.get('webhooks');
      const [row] = await runtime.db
        .knex('outbox')
        .insert({
          queue: 'webhooks',
          name: 'deliver',
          payload: {},
          state: 'dispatched',
          run_at: addMs(runtime.clock.now(), HOUR),
          created_at: runtime.clock.now(),
        })
        .returning('id');
      const job = await queue.add('deliver', { outboxId: row.id, epoch: 1 }, { delay: HOUR });
      const webhooks = async () =>
        (await runtime.figures.queues(0)).find(({ queue }) => queue === 'webhooks');
      const late = async () => (await readLateWork(runtime, 0)).queues;
      expect(await webhooks()).toMatchObject({ counts: { delayed: 1 }, oldestWaitingMs: null });
      expect(await runtime.figures.backlog(0)).toEqual([]);
      expect([...(await late())]).toEqual([]);

      runtime.clock.advance(30 * MINUTE);
      await job.promote();
      expect(await webhooks()).toMatchObject({ counts: { waiting: 1 }, oldestWaitingMs: 0 });
      expect([...(await late())]).toEqual([]);

      runtime.clock.advance(HOUR);
      const { oldestWaitingMs } = (await webhooks()) ?? {};
      expect(Math.abs(Number(oldestWaitingMs) - 30 * MINUTE)).toBeLessThan(MINUTE);
      expect([...(await late())]).toEqual(['webhooks']);
    } finally {
      await runtime.stop();
    }
  });
});

describe('a slow figure', () => {
  it('is left out alone, read once for all requests, and returns when it can be read', async () => {
    const runtime = await createTestRuntime();
    const blocker = new pg.Client(runtime.config.databaseUrl);
    await blocker.connect();
    try {
      await blocker.query('begin; lock table outbox in access exclusive mode');
      const fleet = createFleetMetrics(runtime);
      const scrape = async () => metricsIn(await fleet.read());
      const readOk = (of: readonly Sample[] | undefined, source: string) =>
        sumOf(of ?? [], 'marketplace_fleet_read_ok', { source });
      // Retry if the machine was too slow for another figure.
      const [samples] = await eventually(
        () => Promise.all([scrape(), scrape(), createServiceStatus(runtime)()]),
        ([first]) =>
          ['postgres', 'deliveries', 'settlement_runs', 'work', 'ledger'].every(
            (source) => readOk(first, source) === 1,
          ),
      );
      expect(readOk(samples, 'outbox')).toBe(0);
      const names = new Set(samples?.map(({ name }) => name));
      expect(names).not.toContain('marketplace_outbox_backlog');
      expect(names).toContain('marketplace_work_waiting');
      expect((await createServiceStatus(runtime)()).status).toBe('operational');

      // Postgres has canceled the query, and no other one was started meanwhile.
      const { rows } = await blocker.query(
        `select count(*)::int as waiting from pg_locks l join pg_class c on c.oid = l.relation
         where c.relname = 'outbox' and not l.granted`,
      );
      expect(rows).toEqual([{ waiting: 0 }]);
      await blocker.query('rollback');
      await eventually(
        () => runtime.figures.backlog(0).catch(() => undefined),
        (backlog) => backlog !== undefined,
      );
    } finally {
      await blocker.end();
      await runtime.stop();
    }
  });
});
