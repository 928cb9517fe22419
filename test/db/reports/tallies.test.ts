import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  foldTransactionTallies,
  readTransactions,
} from '../../../shared/settlement/reports/transaction-report.ts';
import { foldTalliesTask } from '../../../workers/scheduled/derived-data.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';
import { runIn } from '../../support/transaction.ts';

let runtime: TestRuntime;
let partner: PartnerFixture;
beforeAll(async () => {
  runtime = await createTestRuntime();
  partner = await givenPartner(runtime);
});
afterAll(() => runtime.stop());

const totals = async () => {
  const filter = { from: null, to: null, statuses: null, paymentModels: null };
  return (await readTransactions(runtime, partner, filter, { before: null, limit: 1 })).totals;
};
const count = async (table: string) => Number((await runtime.db.knex(table).count())[0]?.count);

describe('transaction totals', () => {
  it('are the same before, during, and after folding, even concurrently', async () => {
    const orders: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      const priceCents = 1_000 + i;
      orders.push(await givenOrder(runtime, partner, { priceCents, commissionBps: 1_000 }));
    }
    for (const id of orders.slice(0, 5)) await takeBack(runtime, id);
    // Seven sales remain, of 1,005 to 1,011 cents with a commission of 101 each.
    const wanted = [{ currency: 'USD', count: 17, gmvCents: 7_056, commissionCents: 707 }];
    expect(await totals()).toEqual(wanted);
    const together = await Promise.all([
      foldTransactionTallies(runtime, 3),
      foldTransactionTallies(runtime, 4),
      totals(),
      foldTransactionTallies(runtime, 5),
      totals(),
    ]);
    expect(together.filter(Array.isArray)).toEqual([wanted, wanted]);
    expect(await totals()).toEqual(wanted);
    await foldTalliesTask.run({ runtime, signal: new AbortController().signal });
    expect(await count('transaction_deltas')).toBe(0);
    expect(await totals()).toEqual(wanted);
  });

  it('ignore a transaction that was rolled back', async () => {
    const before = await totals();
    const failing = runtime.db.transact(async (uow) => {
      const raised = 'update orders set sale_price_cents = sale_price_cents + 1';
      await runIn(uow.sql, runtime.db.knex.raw(raised));
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect(await totals()).toEqual(before);
  });
});
