import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { later } from '../../../shared/platform/clock.ts';
import { closeForPartner } from '../../../shared/settlements/close-period.ts';
import { getSettlement, readAllLines } from '../../../shared/settlements/get-settlement.ts';
import { listSettlements } from '../../../shared/settlements/list-settlements.ts';
import { givenPartner } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime({ SETTLEMENT_BATCH_SIZE: '4' });
});
afterAll(() => runtime.stop());

const everything = { from: null, to: null, statuses: null, after: null, limit: 10 };

it('reads all lines of a statement in pages, also when it closes in between', async () => {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  const partner = await givenPartner(runtime);
  const orders: string[] = [];
  for (let i = 0; i < 10; i += 1) {
    const deliveredAt = later(new Date('2026-11-05T00:00:00Z'), Math.floor(i / 2));
    orders.push(await givenOrder(runtime, partner, { deliveredAt }));
  }
  const { statements } = await listSettlements(runtime, partner, everything);
  const id = statements[0]?.id ?? '';
  const first = await getSettlement(runtime, partner, id, { after: null, limit: 3 });
  const read: string[] = [];
  for await (const lines of readAllLines(runtime, partner, first, 3)) {
    read.push(...lines.map((line) => line.orderId));
    if (read.length === 6) {
      await closeForPartner(runtime, { ...partner, until: runtime.clock.now() });
    }
  }
  expect(read).toEqual(orders);
  const closed = await getSettlement(runtime, partner, id, { after: null, limit: 10 });
  expect(closed.statement.status).toBe('closed');
  expect(closed.lines.map((line) => line.orderId)).toEqual(orders);
});

it('shows a statement that is being closed as open, with the lines so far', async () => {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  const partner = await givenPartner(runtime);
  for (let i = 0; i < 6; i += 1) {
    await givenOrder(runtime, partner, { deliveredAt: '2026-10-05T00:00:00Z', priceCents: 1_000 });
  }
  let batches = 0;
  await expect(
    closeForPartner(
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
  const { statements } = await listSettlements(runtime, partner, everything);
  expect(statements).toMatchObject([
    { status: 'open', periodStart: new Date('2026-11-01'), ordersCount: 2 },
    { status: 'open', periodStart: new Date('2026-10-01'), ordersCount: 4, amountOwedCents: 3_400 },
  ]);
  const id = statements[1]?.id ?? '';
  const { statement, lines } = await getSettlement(runtime, partner, id, { after: null, limit: 9 });
  expect(statement).toMatchObject({ status: 'open', amountOwedCents: 3_400, closedAt: null });
  expect(lines).toHaveLength(4);
});
