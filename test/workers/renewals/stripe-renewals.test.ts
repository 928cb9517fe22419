import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { listUnreadMessages } from '../../../shared/domains/registrar/unread-messages.ts';
import { listRepayments, markRepaid } from '../../../shared/money/payments/repay-buyer.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { HOUR } from '../../../shared/platform/clock.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import {
  cancelRenewal,
  refreshRenewalPayment,
} from '../../../shared/sales/renewals/pay-renewal.ts';
import { expireRenewals } from '../../../shared/sales/renewals/read-renewals.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { givenOwnerOf, type Owner } from '../../support/bulk.ts';
import { eventually } from '../../support/eventually.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import {
  givenPrices,
  givenRenewal,
  payForRenewal,
  paymentStatuses,
  renewalNow,
  untilRenewalIs,
} from '../../support/renewals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { notify as notifyOf } from '../../support/stripe-scene.ts';
import {
  type StripeStandIn,
  startStripeStandIn,
  stripeEnv,
} from '../../support/stripe-stand-in.ts';
import { wholeDatabase } from '../../support/whole-database.ts';

let runtime: TestRuntime;
let standIn: StripeStandIn;
let owner: Owner;
let fleet: WorkerProcess | undefined;

beforeEach(async () => {
  standIn = await startStripeStandIn(() => runtime.clock.now());
  runtime = await createTestRuntime({ ...PROMPT, ...stripeEnv(standIn), outboxPollMs: 20 });
  await givenPrices(runtime);
  owner = await givenOwnerOf(runtime, 1);
});
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
  expect((await checkLedger(runtime)).imbalances).toEqual([]);
  await runtime.stop();
  await standIn.stop();
});

const work = () => {
  fleet = startWorkers(runtime, { queues: ['transfers', 'payments'] });
};

/** A renewal whose owner was sent to Stripe's page. */
async function givenOnPage() {
  const renewal = await givenRenewal(runtime, owner);
  const answer = await payForRenewal(runtime, renewal, null);
  expect(answer).toMatchObject({
    step: { status: 'requires_confirmation', url: expect.stringContaining('stripe') },
  });
  const [session] = [...standIn.sessions.values()];
  if (!session) throw new Error('no page was made');
  return { renewal, sessionId: session.id };
}

const notify = (type: string, object: object) => notifyOf(runtime, standIn, type, object);

it('a renewal is paid for on Stripe’s page, and a repeated notification counts once', async () => {
  const { renewal, sessionId } = await givenOnPage();
  const paid = standIn.pay(sessionId);
  for (let time = 0; time < 2; time += 1) await notify('checkout.session.completed', paid);
  expect(await refreshRenewalPayment(runtime, renewal.id)).toBeUndefined();
  work();
  await untilRenewalIs(runtime, renewal, 'completed');
  expect(standIn.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

it('a renewal is paid when its owner returns before the notification arrives', async () => {
  const { renewal, sessionId } = await givenOnPage();
  standIn.pay(sessionId);
  await refreshRenewalPayment(runtime, renewal.id);
  expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'paid' });
});

it('a payment that arrives after the owner canceled is refunded through Stripe', async () => {
  const { renewal, sessionId } = await givenOnPage();
  // The owner paid while the cancellation was on its way.
  const paid = standIn.pay(sessionId);
  expect(await cancelRenewal(runtime, renewal.id)).toBe(true);
  await notify('checkout.session.completed', paid);
  work();
  await eventually(
    () => paymentStatuses(runtime, renewal),
    ([status]) => status === 'refunded',
  );
  expect(standIn.refunds).toMatchObject([{ amount: renewal.price.amount }]);
  expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'cancelled' });
});

it('a payment that arrives after the payer was erased is refunded, and brings none of their data back', async () => {
  const { renewal, sessionId } = await givenOnPage();
  await notify('checkout.session.expired', standIn.expire(sessionId));
  expect(await wholeDatabase(runtime)).toContain('A. Owner');
  runtime.clock.advance(HOUR);
  expect(await expireRenewals(runtime, 10)).toBe(1);
  const customer_details = { name: 'A. Owner', email: 'owner@example.com' };
  const paid = { ...standIn.pay(sessionId), customer_details };
  for (let time = 0; time < 2; time += 1) await notify('checkout.session.completed', paid);
  work();
  await eventually(
    () => paymentStatuses(runtime, renewal),
    ([status]) => status === 'refunded',
  );
  expect(standIn.refunds).toMatchObject([{ amount: renewal.price.amount }]);
  expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'expired' });
  expect(await wholeDatabase(runtime)).not.toContain('A. Owner');
});

it('a payment whose refund Stripe rejects is repaid by hand', async () => {
  const { renewal, sessionId } = await givenOnPage();
  const paid = standIn.pay(sessionId);
  expect(await cancelRenewal(runtime, renewal.id)).toBe(true);
  standIn.refundStatus = 'failed';
  await notify('checkout.session.completed', paid);
  work();
  const owed = async () =>
    (await listRepayments(runtime, 'LIVE', firstPage('oldest' as const, 5))).rows;
  const [repayment] = await eventually(owed, ({ length }) => length > 0);
  const { id } = await runtime.db.knex('payments').first('id');
  const { email } = await runtime.db.knex('users').where({ id: renewal.userId }).first('email');
  expect(repayment).toMatchObject({
    ...{ id, orderId: null, paymentId: id, renewalId: renewal.id, providerReference: sessionId },
    ...{ partnerId: null, domain: renewal.domain, buyerEmail: email, amount: renewal.price },
  });
  const dead = () => runtime.db.knex('outbox').where({ name: 'refund-payment' }).pluck('state');
  await eventually(dead, ([state]) => state === 'dead');
  await markRepaid(runtime, 'usr_finance', { id, reference: 'wire-1' });
  expect(await owed()).toEqual([]);
  expect(await dead()).toEqual(['done']);
  expect(await paymentStatuses(runtime, renewal)).toEqual(['refunded']);
});

it('a lost dispute refunds the renewal without sending another refund', async () => {
  const { renewal, sessionId } = await givenOnPage();
  await notify('checkout.session.completed', standIn.pay(sessionId));
  work();
  await untilRenewalIs(runtime, renewal, 'completed');
  const dispute = standIn.dispute(sessionId);
  await notify('charge.dispute.created', dispute);
  await notify('charge.dispute.closed', { ...dispute, status: 'lost' });
  expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'refunded' });
  expect(standIn.refunds).toEqual([]);
});

it('a full refund in Stripe’s dashboard refunds the renewal and notifies staff', async () => {
  const { renewal, sessionId } = await givenOnPage();
  const paid = standIn.pay(sessionId);
  await notify('checkout.session.completed', paid);
  work();
  await untilRenewalIs(runtime, renewal, 'completed');
  const payment = await runtime.db.knex('payments').first('id');
  const charge = {
    id: 'ch_1',
    object: 'charge',
    amount: renewal.price.amount,
    amount_refunded: renewal.price.amount,
    currency: 'usd',
    livemode: false,
    metadata: { payment_id: payment.id },
  };
  await notify('charge.refunded', { ...charge, amount_refunded: 1, refunded: false });
  expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'completed' });
  expect(await runtime.db.knex('payments').first('returned_cents')).toEqual({ returned_cents: 1 });
  for (let time = 0; time < 2; time += 1) {
    await notify('charge.refunded', { ...charge, refunded: true });
  }
  expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'refunded' });
  const { knex } = runtime.db;
  expect(await knex('payments').pluck('status')).toEqual(['refunded']);
  // The provider is not asked for a refund that it has made.
  expect(await knex('outbox').where({ name: 'refund-payment' })).toEqual([]);
  const { rows } = await listUnreadMessages(runtime, firstPage('oldest' as const, 10));
  expect(rows).toMatchObject([{ id: renewal.id }]);
});
