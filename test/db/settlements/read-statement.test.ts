import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { addMs, DAY, HOUR } from '../../../shared/platform/clock.ts';
import {
  closePartnerPeriods,
  foldUnsettledTallies,
} from '../../../shared/settlement/statements/close-statement.ts';
import {
  getSettlement,
  listSettlements,
  streamStatementLines,
} from '../../../shared/settlement/statements/read-statements.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { pagesReadBy, statementsOf } from '../../support/statements.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime({ settlementBatchSize: 4 });
});
afterAll(() => runtime.stop());

const everything = { from: null, to: null, statuses: null, after: null, limit: 10 };

it('reads all lines of a statement in pages, even if it closes in between', async () => {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  const partner = await givenPartner(runtime);
  const orders: string[] = [];
  for (let i = 0; i < 10; i += 1) {
    const deliveredAt = addMs(new Date('2026-11-05T00:00:00Z'), Math.floor(i / 2));
    orders.push(await givenOrder(runtime, partner, { deliveredAt }));
  }
  const { rows: statements } = await listSettlements(runtime, partner, everything);
  const id = statements[0]?.id ?? '';
  const first = await getSettlement(runtime, partner, id, { after: null, limit: 3 });
  const read: string[] = [];
  for await (const lines of streamStatementLines(runtime, partner, first, 3)) {
    read.push(...lines.map((line) => line.orderId));
    if (read.length === 6) {
      await closePartnerPeriods(runtime, { ...partner, until: runtime.clock.now() });
    }
  }
  expect(read).toEqual(orders);
  const closed = await getSettlement(runtime, partner, id, { after: null, limit: 10 });
  expect(closed.statement.status).toBe('closed');
  expect(closed.lines.map((line) => line.orderId)).toEqual(orders);
});

it('shows a statement that is being closed as open, with its lines so far', async () => {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  const partner = await givenPartner(runtime);
  for (let i = 0; i < 6; i += 1) {
    await givenOrder(runtime, partner, { deliveredAt: '2026-10-05T00:00:00Z', priceCents: 1_000 });
  }
  let batches = 0;
  await expect(
    closePartnerPeriods(
      runtime,
      { ...partner, until: new Date('2026-11-01T00:00:00Z') },
      {
        betweenBatches: () => {
          batches += 1;
          if (batches === 2) throw new Error('killed');
        },
      },
    ),
  ).rejects.toThrow('killed');
  const { rows: statements } = await listSettlements(runtime, partner, everything);
  expect(statements).toMatchObject([
    { status: 'open', periodStart: new Date('2026-11-01'), ordersCount: 2 },
    { status: 'open', periodStart: new Date('2026-10-01'), ordersCount: 4, amountOwedCents: 3_400 },
  ]);
  const id = statements[1]?.id ?? '';
  const { statement, lines } = await getSettlement(runtime, partner, id, { after: null, limit: 9 });
  expect(statement).toMatchObject({ status: 'open', amountOwedCents: 3_400, closedAt: null });
  expect(lines).toHaveLength(4);
});

/** The totals of a running statement, added up line by line. */
async function addedUp(from: TestRuntime, partner: PartnerFixture, id: string) {
  const first = await getSettlement(from, partner, id, { after: null, limit: 3 });
  const sums = { ordersCount: 0, grossSoldCents: 0, adjustmentsCents: 0, amountOwedCents: 0 };
  for await (const lines of streamStatementLines(from, partner, first, 3)) {
    for (const line of lines) {
      sums.amountOwedCents += line.amountOwedCents;
      if (line.kind === 'clawback') {
        sums.adjustmentsCents += line.amountOwedCents;
        continue;
      }
      sums.ordersCount += 1;
      sums.grossSoldCents += line.salePriceCents;
    }
  }
  return sums;
}

it.each([0, 36 * HOUR, 14 * DAY])(
  'totals of the running period match its lines, %d ms after delivery',
  async (delayMs) => {
    const late = await createTestRuntime({ SETTLEMENT_DELAY_SANDBOX_MS: String(delayMs) });
    try {
      late.clock.set('2026-11-20T09:30:00.000Z');
      const partner = await givenPartner(late);
      const cut = addMs(new Date('2026-12-01T00:00:00Z'), -delayMs);
      const models = ['merchant_of_record', 'hosted_checkout'] as const;
      const orders: string[] = [];
      // Deliveries within a millisecond of the cutoff, and days before it.
      for (const [index, ago] of [-1, 0, 1, HOUR, 12 * HOUR, DAY, DAY + 1, 9 * DAY].entries()) {
        const deliveredAt = addMs(cut, -ago);
        const currency = index % 3 === 0 ? 'EUR' : 'USD';
        const paymentModel = models[index % 2] ?? 'merchant_of_record';
        const priceCents = 1_000 + index;
        const terms = { deliveredAt, currency, paymentModel, priceCents } as const;
        orders.push(await givenOrder(late, partner, terms));
        if (index % 2 === 0) await foldUnsettledTallies(late, 3);
      }
      for (const id of orders.slice(4, 6)) await takeBack(late, id);
      const { rows: statements } = await listSettlements(late, partner, everything);
      expect(statements.map(({ currency }) => currency)).toEqual(['EUR', 'USD']);
      for (const { id, ...statement } of statements) {
        expect(statement).toMatchObject(await addedUp(late, partner, id));
      }
      const counted = statements.reduce((sum, { ordersCount }) => sum + ordersCount, 0);
      expect(counted).toBe(orders.length - 1);
    } finally {
      await late.stop();
    }
  },
);

it('reads no more rows for the running period as unsettled orders grow', async () => {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  const partner = await givenPartner(runtime, { environment: 'LIVE' });
  const pages = async () => {
    await foldUnsettledTallies(runtime, 100_000);
    for (const table of ['orders', 'unsettled_tallies', 'unsettled_deltas']) {
      await runtime.db.knex.raw(`vacuum analyze ${table}`);
    }
    const [only, ...others] = await statementsOf(runtime, () =>
      listSettlements(runtime, partner, everything),
    );
    if (!only || others.length > 0) throw new Error('it is not one statement');
    return pagesReadBy(runtime, only);
  };
  await givenUnsettled(partner, 1, 10);
  const few = await pages();
  await givenUnsettled(partner, 11, 3_000);
  expect(await pages()).toBeLessThan(few + 20);
  const { rows: statements } = await listSettlements(runtime, partner, everything);
  expect(statements).toMatchObject([{ ordersCount: 3_000, grossSoldCents: 3_000_000 }]);
});

/** Inserts orders delivered in the first days of November with a single statement. */
async function givenUnsettled(partner: PartnerFixture, from: number, to: number): Promise<void> {
  await runtime.db.knex.raw(
    `insert into orders (id, partner_id, environment, brokerage_case_id, domain, status, payment_model,
       sale_price_cents, commission_bps, commission_cents, amount_owed_cents, currency, buyer_email,
       created_at, updated_at, transfer_completed_at)
     select 'ord_unsettled' || n, :partnerId, :environment, 'brk_unsettled' || n, 'unsettled' || n || '.com',
       'TRANSFER_COMPLETED', 'brokerage', 1000, 1500, 150, 0, 'USD', 'buyer@example.com', at, at, at
     from (select n, timestamptz '2026-11-01T00:00:00Z' + n % 5 * interval '1 day' as at
           from generate_series(:from::integer, :to::integer) n) o`,
    { partnerId: partner.partnerId, environment: partner.environment, from, to },
  );
}
