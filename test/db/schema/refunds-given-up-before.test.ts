import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { up as oweRefunds } from '../../../db/migrations/20261130171600_owe_refunds_given_up_before.ts';
import { refundPaymentKey } from '../../../shared/money/payments/payment.jobs.ts';
import { listRepayments, markRepaid } from '../../../shared/money/payments/repay-buyer.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import { givenUnrefundable } from '../../support/payments.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime?.stop());

it('a refund that was given up before it could be listed is to be repaid by hand', async () => {
  const { knex } = runtime.db;
  /** A dead refund that the previous version did not list. */
  const given = async (error: string) => {
    const { paymentId } = await givenUnrefundable(runtime);
    await knex('buyer_repayments').where({ payment_id: paymentId }).delete();
    const job = knex('outbox').where({ dedupe_key: refundPaymentKey(paymentId) });
    await job.update({ last_error: error });
    return paymentId;
  };
  const refused = await given('stripe refused the refund');
  const unknown = await given('the payment has no reference');
  const unanswered = await given('connect ECONNREFUSED');
  const retried = await given('stripe refused the refund');
  await knex('outbox')
    .where({ dedupe_key: refundPaymentKey(retried) })
    .update({ state: 'pending' });
  const owed = async () =>
    (await listRepayments(runtime, null, firstPage('oldest' as const, 10))).rows.map(
      ({ id }) => id,
    );
  await oweRefunds(knex);
  await oweRefunds(knex);
  expect((await owed()).sort()).toEqual([refused, unknown].sort());
  expect(await owed()).not.toContain(unanswered);
  await markRepaid(runtime, 'test', { id: refused, reference: 'wire 7' });
  await oweRefunds(knex);
  expect(await owed()).toEqual([unknown]);
});
