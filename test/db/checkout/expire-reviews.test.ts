import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DAY, MINUTE } from '../../../shared/platform/clock.ts';
import { expireCheckoutSessions } from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import type { CheckoutSession } from '../../../shared/sales/checkout/checkout-session.ts';
import { CARDS, card, givenSession, payFor } from '../../support/payments.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime({ REVIEW_PRICE_CENTS: '1', databaseLockMs: 100 });
});
afterAll(() => runtime?.stop());

async function givenInReview(): Promise<CheckoutSession> {
  const session = await givenSession(runtime);
  await payFor(runtime, session, card(CARDS.succeeds));
  return session;
}

it('a locked review does not block other checkout sessions from expiring', async () => {
  const statusOf = async ({ id }: { id: string }) =>
    (await runtime.db.knex('checkout_sessions').where({ id }).first('status')).status;
  const first = await givenInReview();
  runtime.clock.advance(MINUTE);
  const [second, unpaid] = [await givenInReview(), await givenSession(runtime)];
  const end = async () => {
    await expireCheckoutSessions(runtime, 100);
    return [await statusOf(first), await statusOf(second), await statusOf(unpaid)];
  };
  runtime.clock.advance(8 * DAY);
  await runtime.db.knex.transaction(async (tx) => {
    await tx('checkout_sessions').where({ id: first.id }).forUpdate();
    expect(await end()).toEqual(['open', 'expired', 'expired']);
  });
  expect(await end()).toEqual(['expired', 'expired', 'expired']);
});
