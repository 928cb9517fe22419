import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs } from '../../../shared/platform/clock.ts';
import { readSettlementRunPage } from '../../../shared/settlement/statements/read-settlement-runs.ts';
import {
  closeDuePeriods,
  type RunRequest,
  requestSettlementRun,
} from '../../../shared/settlement/statements/run-settlements.ts';
import {
  closePartnerHandler,
  startRunHandler,
} from '../../../workers/handlers/settlement-handlers.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { metricsIn, sumOf } from '../../support/metrics.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';
import { serviceProcess } from '../../support/service-process.ts';

let runtime: TestRuntime;
let ending: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  runtime = await createTestRuntime({
    outboxPollMs: 20,
    reconcileMs: 100,
    jobLockMs: 600,
    outboxLeaseMs: 1_500,
    WEBHOOK_TIMEOUT_MS: '1000',
    SHUTDOWN_MS: '500',
    settlementBatchSize: 5,
  });
  runtime.clock.advance(new Date('2026-12-02T00:00:00Z').getTime() - Date.now());
});

afterEach(async () => {
  for (const end of ending.reverse()) await end();
  ending = [];
  await runtime.stop();
});

/** The jobs without the schedule, which would close everything by itself. */
const registry = [startRunHandler, closePartnerHandler];

function work(): void {
  const fleet = startWorkers(runtime, { queues: ['settlements'], registry });
  ending.push(() => fleet.stop());
}

const run = (request: Partial<RunRequest>) =>
  requestSettlementRun(runtime, 'test', { environment: 'SANDBOX', ...request });
/** A run that has ended, and what it did. */
async function completed(runId: string) {
  const { run, rows: partners } = await eventually(
    () => readSettlementRunPage(runtime, runId, { after: null, limit: 100 }),
    (page) => page.run.status === 'completed',
  );
  return { ...run, partners };
}
const deliver = async (partner: PartnerFixture, count: number, at = '2026-11-05T00:00:00Z') => {
  for (let i = 0; i < count; i += 1) {
    await givenOrder(runtime, partner, { deliveredAt: addMs(new Date(at), i), priceCents: 1_000 });
  }
};
const statuses = (partner: PartnerFixture) =>
  runtime.db
    .knex('orders')
    .where({ partner_id: partner.partnerId })
    .distinct('status')
    .pluck('status');
const settledEvents = async (): Promise<number> =>
  (await runtime.db.knex('events').where({ type: 'order.settled' })).length;

describe('a settlement run', () => {
  it('closes a month for every partner with orders and reports what it closed', async () => {
    const [a, b, idle, live] = [
      await givenPartner(runtime),
      await givenPartner(runtime),
      await givenPartner(runtime),
      await givenPartner(runtime, { environment: 'LIVE' }),
    ];
    await deliver(a, 12);
    await deliver(b, 1);
    await deliver(live, 1);
    work();
    const { id } = await run({ period: '2026-11' });
    const done = await completed(id);
    expect(done).toMatchObject({ period: '2026-11', until: new Date('2026-12-01') });
    expect(done.partners.map((part) => part.partnerId).sort()).toEqual(
      [a.partnerId, b.partnerId].sort(),
    );
    const ofA = done.partners.find((part) => part.partnerId === a.partnerId);
    expect(ofA).toMatchObject({
      state: 'done',
      statements: [{ status: 'closed', ordersCount: 12, amountOwedCents: 10_200 }],
    });
    expect(await statuses(idle)).toEqual([]);
    expect(await statuses(live)).toEqual(['TRANSFER_COMPLETED']);
    const again = await completed((await run({ period: '2026-11' })).id);
    expect(again.partners).toEqual([]);
    expect(await settledEvents()).toBe(13);
    // The handler notes the time after the run has ended.
    const timed = async () => metricsIn(await runtime.metrics.registry.metrics());
    await eventually(timed, (all) => sumOf(all, 'marketplace_statement_seconds_count', {}) === 2);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
  });

  it('settles each order once when runs for all partners and one partner overlap on two workers', async () => {
    const partners = [await givenPartner(runtime), await givenPartner(runtime)];
    for (const partner of partners) await deliver(partner, 23);
    const second = await joinRuntime(runtime);
    const fleet = startWorkers(second, { queues: ['settlements'], registry });
    ending.push(async () => {
      await fleet.stop();
      await second.stop();
    });
    work();
    const runs = await Promise.all([
      run({ period: '2026-11' }),
      run({ period: '2026-11' }),
      run({ until: runtime.clock.now() }),
      ...partners.map(({ partnerId }) => run({ period: '2026-11', partnerId })),
    ]);
    const done = await Promise.all(runs.map(({ id }) => completed(id)));
    const closed = done.flatMap((one) => one.partners.flatMap((part) => part.statements));
    expect(new Set(closed.map((statement) => statement.id)).size).toBe(closed.length);
    expect(closed.reduce((sum, statement) => sum + statement.ordersCount, 0)).toBe(46);
    expect(await settledEvents()).toBe(46);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
  });

  it('finishes when Redis is wiped during the run', async () => {
    const partners = [await givenPartner(runtime), await givenPartner(runtime)];
    for (const partner of partners) await deliver(partner, 40);
    work();
    const { id } = await run({ period: '2026-11' });
    await eventually(settledEvents, (count) => count > 0);
    const keys = await runtime.redis.keys(`${runtime.config.redisPrefix}*`);
    if (keys.length > 0) await runtime.redis.del(...keys);
    await completed(id);
    expect(await settledEvents()).toBe(80);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
  });

  it('is finished by another worker when its worker is killed midway', async () => {
    // The process that is killed has the machine's clock.
    runtime.clock.advance(Date.now() - runtime.clock.now().getTime());
    const partner = await givenPartner(runtime);
    await deliver(partner, 150, addMs(runtime.clock.now(), -60_000).toISOString());
    const { id } = await run({ until: runtime.clock.now() });
    // However fast a worker is, it stands still at the order in the middle.
    const blocker = new pg.Client(runtime.config.databaseUrl);
    await blocker.connect();
    ending.push(() => blocker.end());
    await blocker.query('begin');
    await blocker.query(
      `select 1 from orders where id =
         (select id from orders order by transfer_completed_at offset 75 limit 1) for update`,
    );
    const victim = serviceProcess('workers/main.ts', runtime.env);
    victim.start();
    ending.push(() => victim.kill());
    await eventually(settledEvents, (count) => count > 50);
    await victim.kill();
    expect(await settledEvents()).toBeLessThan(150);
    await blocker.query('rollback');
    expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
    work();
    expect(await completed(id)).toMatchObject({
      partners: [{ statements: [{ status: 'closed', ordersCount: 150 }] }],
    });
    expect(await settledEvents()).toBe(150);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
  });

  it('closes the requested period even when it starts much later', async () => {
    const partner = await givenPartner(runtime);
    const asked = runtime.clock.now();
    await deliver(partner, 1, asked.toISOString());
    await deliver(partner, 1, addMs(asked, 1).toISOString());
    const { id } = await run({ until: asked });
    runtime.clock.advance(90 * 86_400_000);
    work();
    expect(await completed(id)).toMatchObject({
      partners: [
        {
          statements: [{ ordersCount: 1, periodStart: new Date('2026-12-01'), periodEnd: asked }],
        },
      ],
    });
  });

  it('does not close a weekly partner’s current period when it closes a past month', async () => {
    const weekly = await givenPartner(runtime, { settlementPeriod: 'weekly' });
    await deliver(weekly, 1, '2026-11-25T00:00:00Z');
    await deliver(weekly, 1, '2026-11-30T12:00:00Z');
    work();
    const { partners } = await completed((await run({ period: '2026-11' })).id);
    expect(partners).toMatchObject([
      { statements: [{ periodStart: new Date('2026-11-23'), periodEnd: new Date('2026-11-30') }] },
    ]);
  });

  it.each([
    ['a future month', { period: '2027-01' }],
    ['an invalid month', { period: '2026-13' }],
    ['a future instant', { until: new Date('2026-12-24T00:00:00Z') }],
    ['an invalid instant', { until: new Date('yesterday') }],
    ['both a month and an instant', { period: '2026-11', until: new Date('2026-12-01T00:00:00Z') }],
    ['neither a month nor an instant', {}],
  ])('rejects %s', async (_what, request) => {
    await expect(run(request)).rejects.toMatchObject({ code: 'validation_error' });
    expect(await runtime.db.knex('settlement_runs')).toEqual([]);
  });

  it('returns not_found for an unknown partner', async () => {
    await expect(
      run({ period: '2026-11', partnerId: 'ptr_01jd0000000000000000000000' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the settlement schedule', () => {
  it('closes ended periods once with several schedulers running', async () => {
    const monthly = await givenPartner(runtime);
    const live = await givenPartner(runtime, { environment: 'LIVE' });
    const weekly = await givenPartner(runtime, { settlementPeriod: 'weekly' });
    await deliver(monthly, 2);
    await deliver(live, 1, '2026-10-05T00:00:00Z');
    await deliver(weekly, 1, '2026-11-30T12:00:00Z');
    const ticks = await Promise.all([1, 2, 3].map(() => closeDuePeriods(runtime)));
    const runs = ticks.flat();
    expect(runs).toHaveLength(2);
    work();
    for (const id of runs) await completed(id);
    expect(await statuses(monthly)).toEqual(['SETTLED']);
    expect(await statuses(live)).toEqual(['SETTLED']);
    expect(await statuses(weekly)).toEqual(['TRANSFER_COMPLETED']);
    expect(await closeDuePeriods(runtime)).toEqual([]);
  });

  it('runs by itself in a worker that serves the queue', async () => {
    const partner = await givenPartner(runtime);
    await deliver(partner, 2);
    const fleet = startWorkers(runtime, { queues: ['settlements'] });
    ending.push(() => fleet.stop());
    await eventually(
      () => statuses(partner),
      (all) => all.length === 1 && all[0] === 'SETTLED',
    );
  });

  it('does not reopen a closed period for late orders', async () => {
    const partner = await givenPartner(runtime);
    await deliver(partner, 1);
    work();
    for (const id of await closeDuePeriods(runtime)) await completed(id);
    await deliver(partner, 1, '2026-11-30T23:59:00Z');
    expect(await closeDuePeriods(runtime)).toEqual([]);
    runtime.clock.advance(31 * 86_400_000);
    const [next = ''] = await closeDuePeriods(runtime);
    expect(await completed(next)).toMatchObject({
      partners: [{ statements: [{ periodStart: new Date('2026-12-01') }] }],
    });
  });

  it('starts another run when the last one was lost', async () => {
    await deliver(await givenPartner(runtime), 1);
    expect(await closeDuePeriods(runtime)).toHaveLength(1);
    expect(await closeDuePeriods(runtime)).toEqual([]);
    runtime.clock.advance(2 * 3_600_000);
    expect(await closeDuePeriods(runtime)).toHaveLength(1);
  });

  it('is not blocked by a run from a process whose clock was ahead', async () => {
    await deliver(await givenPartner(runtime), 1);
    runtime.clock.advance(40 * 86_400_000);
    expect(await closeDuePeriods(runtime)).toHaveLength(1);
    runtime.clock.advance(-40 * 86_400_000);
    work();
    const [run = ''] = await closeDuePeriods(runtime);
    await completed(run);
    expect(await settledEvents()).toBe(1);
  });
});
