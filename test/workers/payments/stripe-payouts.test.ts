import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { suspendPartner } from '../../../shared/people/partners/partner-lifecycle.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { approvePayout } from '../../../shared/settlement/payouts/approve-payout.ts';
import {
  markPayoutFailed,
  markPayoutPaid,
} from '../../../shared/settlement/payouts/payout-outcome.ts';
import { requestPayoutTransfer } from '../../../shared/settlement/payouts/send-payout.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { givenOrder } from '../../support/orders.ts';
import { type StripeApp, startStripeApp } from '../../support/stripe-app.ts';
import type { StripeStandIn } from '../../support/stripe-stand-in.ts';

const ACCOUNT = 'acct_standIn1';

let app: StripeApp;
let ops: OpsClient;
let standIn: StripeStandIn;
let ending: (() => Promise<unknown>)[];
beforeEach(async () => {
  app = await startStripeApp({
    outboxPollMs: 20,
    PAYOUT_APPROVAL_OVER_CENTS: '100000',
    SHUTDOWN_MS: '200',
  });
  standIn = app.stripe;
  standIn.accounts.set(ACCOUNT, 'active').set('acct_closed', 'inactive');
  standIn.balance = 1_000_000;
  ops = await givenOps(app);
  ending = [];
});
afterEach(async () => {
  for (const end of ending.reverse()) await end();
  await app.stop();
});

function work(): void {
  const fleet = startWorkers(app.runtime, { queues: ['payments'] });
  ending.push(() => fleet.stop());
}

/** A partner with a pending LIVE payout of 15 % of the price. */
async function givenPayout({ priceCents = 10_000, account = true, currency = 'USD' } = {}) {
  const { partnerId } = await app.partner({ environment: 'LIVE' });
  if (account) {
    const set = await ops.post(`/partners/${partnerId}/connected-account`, { account: ACCOUNT });
    expect(set.status).toBe(200);
  }
  const owner = { partnerId, environment: 'LIVE' as const };
  const deliveredAt = addMs(app.runtime.clock.now(), -60 * DAY);
  await givenOrder(app.runtime, owner, {
    priceCents,
    currency,
    paymentModel: 'hosted_checkout',
    deliveredAt,
  });
  await closePartnerPeriods(app.runtime, { ...owner, until: app.runtime.clock.now() });
  const payout = await app.runtime.db.knex('payouts').where({ partner_id: partnerId }).first('id');
  return { partnerId, id: payout.id as string };
}

const payoutOf = (id: string) => app.runtime.db.knex('payouts').where({ id }).first();
const untilIs = (id: string, status: string) =>
  eventually(
    () => payoutOf(id),
    (payout) => payout.status === status,
  );
const send = (id: string) => ops.post(`/payouts/${id}/send`);

async function tell(type: string, object: object): Promise<void> {
  const { body, signature } = standIn.notification(type, object, app.runtime.clock.now());
  const res = await fetch(`${app.url}/payments/stripe/webhook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
    body,
  });
  expect(res.status).toBe(200);
}

describe('a Stripe payout', () => {
  it('is sent once despite dropped connections, with the transfer ID as its reference', async () => {
    const { id } = await givenPayout();
    standIn.faults.push('cut', 500);
    expect((await send(id)).body).toMatchObject({ status: 'pending', sent_to: ACCOUNT });
    expect((await send(id)).status).toBe(200);
    work();
    const paid = await untilIs(id, 'paid');
    expect(standIn.transfers).toMatchObject([
      { amount: 1_500, currency: 'usd', destination: ACCOUNT, metadata: { payout_id: id } },
    ]);
    expect(paid.reference).toBe(standIn.transfers[0]?.id);
    expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  });

  it('is rejected up front when Stripe does not support an amount this precise', async () => {
    const { id } = await givenPayout({ priceCents: 10_100, currency: 'MGA' });
    const refused = await send(id);
    expect([refused.status, refused.body.error.details.reason]).toEqual([409, 'price_not_payable']);
    expect(await payoutOf(id)).toMatchObject({ status: 'pending', sent_to: null });
  });

  it('cannot be marked paid or failed by hand while Stripe is processing it', async () => {
    const { id } = await givenPayout();
    await send(id);
    const about = { payoutId: id, reference: 'wire-1' };
    const refused = { details: { reason: 'invalid_state' } };
    await expect(markPayoutPaid(app.runtime, 'test', about)).rejects.toMatchObject(refused);
    await expect(
      markPayoutFailed(app.runtime, 'test', { ...about, reason: null }),
    ).rejects.toMatchObject(refused);
    expect((await payoutOf(id)).status).toBe('pending');
  });

  it('fails when Stripe rejects it, and the amount is owed again', async () => {
    const { id, partnerId } = await givenPayout();
    await send(id);
    standIn.accounts.set(ACCOUNT, 'inactive');
    work();
    expect((await untilIs(id, 'failed')).failure_reason).toBe('account_invalid');
    const [open] = await app.runtime.db
      .knex('settlement_payables')
      .where({ partner_id: partnerId, payout_id: null });
    expect(Number(open.amount_cents)).toBe(1_500);
  });

  it('waits while our Stripe balance is too low', async () => {
    const { id } = await givenPayout();
    standIn.balance = 1_499;
    await send(id);
    work();
    const job = await eventually(
      () => app.runtime.db.knex('outbox').where({ name: 'send-payout' }).first(),
      ({ run_at }) => run_at > addMs(app.runtime.clock.now(), DAY),
    );
    expect(job.state).toBe('pending');
    expect((await payoutOf(id)).status).toBe('pending');
  });

  it('is owed again, once, when Stripe reverses the transfer', async () => {
    const { id } = await givenPayout();
    await send(id);
    work();
    await untilIs(id, 'paid');
    const [transfer] = standIn.transfers;
    const reversed = { ...transfer, reversed: true, reversals: { data: [{ id: 'trr_1' }] } };
    await tell('transfer.reversed', { ...reversed, id: 'tr_of_another' });
    await tell('transfer.reversed', { ...transfer, reversals: { data: [{ id: 'trr_0' }] } });
    expect((await payoutOf(id)).status).toBe('paid');
    await tell('transfer.reversed', reversed);
    await tell('transfer.reversed', reversed);
    expect(await payoutOf(id)).toMatchObject({ status: 'failed', reversal_reference: 'trr_1' });
    expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  });

  it('requires a payable account, an active partner and approval by a second person', async () => {
    const without = await givenPayout({ account: false });
    expect((await send(without.id)).status).toBe(409);
    for (const account of ['acct_closed', 'acct_unknown', 'elsewhere']) {
      const set = await ops.post(`/partners/${without.partnerId}/connected-account`, { account });
      expect(set.body.error.details).toMatchObject([{ path: '/account' }]);
    }
    const suspended = await givenPayout();
    await suspendPartner(app.runtime, 'test', suspended.partnerId);
    expect((await send(suspended.id)).body.error.details.reason).toBe('partner_suspended');
    const { id } = await givenPayout({ priceCents: 1_000_000 });
    await approvePayout(app.runtime, 'first@example.com', id);
    await expect(requestPayoutTransfer(app.runtime, 'first@example.com', id)).rejects.toMatchObject(
      { code: 'conflict' },
    );
    expect((await requestPayoutTransfer(app.runtime, 'second@example.com', id)).sentTo).toBe(
      ACCOUNT,
    );
  });
});
