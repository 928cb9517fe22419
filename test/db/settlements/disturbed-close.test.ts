import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs } from '../../../shared/platform/clock.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
let partner: PartnerFixture;

beforeAll(async () => {
  runtime = await createTestRuntime({ settlementBatchSize: 10 });
});
afterAll(() => runtime.stop());
beforeEach(async () => {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  partner = await givenPartner(runtime);
});

const close = (until: string | Date, options = {}) =>
  closePartnerPeriods(runtime, { ...partner, until: new Date(until) }, options);
const statements = () =>
  runtime.db
    .knex('settlements')
    .where({ partner_id: partner.partnerId })
    .orderBy('id')
    .then((rows) => rows);
const order = (id: string) => runtime.db.knex('orders').where({ id }).first();
const settledEvents = () =>
  runtime.db
    .knex('events')
    .where({ partner_id: partner.partnerId, type: 'order.settled' })
    .orderBy('position');

describe('an interrupted settlement close', () => {
  const deliver = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      await givenOrder(runtime, partner, {
        deliveredAt: addMs(new Date('2026-10-03T10:00:00Z'), i),
        priceCents: 1_000 + i,
      });
    }
  };
  const gross = (count: number) => 1_000 * count + (count * (count - 1)) / 2;
  const expectSettled = async (count: number) => {
    const rows = await statements();
    expect(rows).toMatchObject([
      { status: 'closed', orders_count: count, gross_sold_cents: gross(count) },
    ]);
    const events = await settledEvents();
    expect(new Set(events.map((event) => event.subject)).size).toBe(count);
    expect(events).toHaveLength(count);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
  };

  it.each([0, 1, 2, 3])('resumes after being killed: after %i batches', async (batches) => {
    await deliver(25);
    let calls = 0;
    const betweenBatches = () => {
      if (calls === batches) throw new Error('killed');
      calls += 1;
    };
    await expect(close('2026-11-01T00:00:00Z', { betweenBatches })).rejects.toThrow('killed');
    const moved = await runtime.db
      .knex('orders')
      .where({ partner_id: partner.partnerId, status: 'SETTLED' });
    expect(moved).toHaveLength(Math.min(25, 10 * batches));
    expect(await statements()).toMatchObject([{ status: 'closing' }]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
    await close('2026-11-01T00:00:00Z');
    await expectSettled(25);
  });

  it('resumes after Postgres dropped its connection mid-transaction', async () => {
    await deliver(25);
    const victim = await joinRuntime(runtime, { DATABASE_POOL_SIZE: '2' });
    const blocker = await runtime.db.knex.transaction();
    const [middle] = await blocker('orders')
      .where({ partner_id: partner.partnerId, sale_price_cents: 1_015 })
      .forUpdate();
    expect(middle).toBeDefined();
    const outcome = closePartnerPeriods(victim, {
      ...partner,
      until: new Date('2026-11-01T00:00:00Z'),
    }).then(
      () => 'closed',
      () => 'broken',
    );
    // The second batch waits for the locked order; its session is killed at that point.
    let ended = 0;
    while (ended === 0) {
      const { rows } = await runtime.db.knex.raw(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'marketplace-test-2'
           and wait_event_type = 'Lock'`,
      );
      ended = rows.length;
    }
    expect(await outcome).toBe('broken');
    await blocker.rollback();
    await victim.db.close();
    expect(await statements()).toMatchObject([{ status: 'closing' }]);
    await close('2026-11-01T00:00:00Z');
    await expectSettled(25);
    await victim.stop();
  });

  it('settles each order once when four closes run at the same time', async () => {
    await deliver(60);
    const closed = await Promise.all([1, 2, 3, 4].map(() => close('2026-11-01T00:00:00Z')));
    expect(closed.flat()).toHaveLength(1);
    await expectSettled(60);
  });

  it('settles an order clawed back meanwhile and deducts it from the next statement', async () => {
    await deliver(25);
    const { id } = await runtime.db
      .knex('orders')
      .where({ partner_id: partner.partnerId, sale_price_cents: 1_024 })
      .first();
    let once = true;
    await close('2026-11-01T00:00:00Z', {
      betweenBatches: async () => {
        if (once) await takeBack(runtime, id, 'claw_back');
        once = false;
      },
    });
    await close(runtime.clock.now());
    expect(await statements()).toMatchObject([
      { orders_count: 25, gross_sold_cents: gross(25) },
      { orders_count: 0, adjustments_cents: -870 },
    ]);
    expect((await order(id)).status).toBe('REFUNDED');
    expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
  });

  it("takes smaller batches after one locked the partner's history for too long", async () => {
    await deliver(140);
    // Each event takes 5 ms to write, as on a very slow disk.
    await runtime.db.knex.raw(`
      create function write_slowly() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.005); return new; end $$;
      create trigger slow before insert on events for each row execute function write_slowly()`);
    const other = await joinRuntime(runtime, { settlementBatchSize: 5_000 });
    try {
      await closePartnerPeriods(other, { ...partner, until: new Date('2026-11-01T00:00:00Z') });
    } finally {
      await other.stop();
      await runtime.db.knex.raw('drop function write_slowly() cascade');
    }
    const { rows } = await runtime.db.knex.raw(
      `select count(*)::int as events from events
       where partner_id = ? and type = 'order.settled' group by xmin::text order by min(position)`,
      [partner.partnerId],
    );
    const [, ...following] = rows.map((row: { events: number }) => row.events);
    expect(following.length).toBeGreaterThan(1);
    // 20 events take 100 ms, and with the rest of the transaction less than 200 ms.
    expect(Math.max(...following)).toBeLessThanOrEqual(20);
    await expectSettled(140);
  });
});
