import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { up as oweNoMoreThanIsLeft } from '../../../db/migrations/20261130181000_owe_no_more_than_is_left.ts';
import { getRepayment, recordUnrefundable } from '../../../shared/money/payments/repay-buyer.ts';
import { Money } from '../../../shared/platform/money.ts';
import { applyPartialReturn } from '../../../shared/sales/refunds/returned-payment.ts';
import { CARDS, card, givenSession, ordersOf, payFor, paymentsOf } from '../../support/payments.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime?.stop());

/** Gives up the refund of a new order's payment of which `returnedCents` were refunded by hand before. */
async function givenUp(returnedCents: number) {
  const session = await givenSession(runtime);
  await payFor(runtime, session, card(CARDS.succeeds));
  const [{ id: paymentId } = { id: '' }] = await paymentsOf(runtime, session);
  const [{ id: orderId } = { id: '' }] = await ordersOf(runtime, session);
  const { amount, currency } = session.price;
  if (returnedCents > 0) {
    await applyPartialReturn(runtime, paymentId, new Money(returnedCents, currency));
  }
  await takeBack(runtime, orderId);
  await runtime.db.transact((uow) => recordUnrefundable(uow, paymentId));
  return { orderId, amount };
}
const owed = async (id: string) => (await getRepayment(runtime, id)).amount.amount;

it('owes the buyer no more than staff have not refunded by hand at the provider', async () => {
  const part = await givenUp(1_000);
  expect(await owed(part.orderId)).toBe(part.amount - 1_000);
  const all = await givenUp(0);
  expect(await owed(all.orderId)).toBe(all.amount);
});

it('owes no more for refunds that were given up before either', async () => {
  const part = await givenUp(1_000);
  const all = await givenUp(0);
  const full = runtime.db.knex('buyer_repayments').where({ order_id: part.orderId });
  await full.update({ amount_cents: part.amount });
  await oweNoMoreThanIsLeft(runtime.db.knex);
  await oweNoMoreThanIsLeft(runtime.db.knex);
  expect(await owed(part.orderId)).toBe(part.amount - 1_000);
  expect(await owed(all.orderId)).toBe(all.amount);
});
