import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { DAY, SECOND } from '../../../shared/platform/clock.ts';
import { holdOrder } from '../../../shared/sales/orders/screen-order.ts';
import { encodeClick } from '../../../shared/sales/referral/click-cookie.ts';
import type { ReferralLink } from '../../../shared/sales/referral/referral-link.ts';
import {
  approveRefund,
  declineRefund,
  recordCancelPushResult,
} from '../../../shared/sales/refunds/pending-refund.ts';
import { refundOrder } from '../../../shared/sales/refunds/refund-order.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/deliver-domain.ts';
import { beginPush } from '../../../shared/sales/transfers/registrar-push.ts';
import { startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { markPayoutPaid } from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { givenVisitor } from '../../support/console.ts';
import { givenOps } from '../../support/ops-client.ts';
import { ordersOf, paymentsOf } from '../../support/payments.ts';
import {
  type Affiliate,
  deliver,
  givenAffiliate,
  givenLink,
  historyOf,
} from '../../support/referrals.ts';
import { type StripeApp, startStripeApp } from '../../support/stripe-app.ts';
import type { StripeStandIn } from '../../support/stripe-stand-in.ts';

let app: StripeApp;
let standIn: StripeStandIn;
beforeAll(async () => {
  app = await startStripeApp({ MAIL: 'on' });
  standIn = app.stripe;
});
afterAll(() => app.stop());

const BY_STAFF = {
  kind: 'by_state',
  reason: 'other',
  note: null,
  requestedBy: 'test',
} as const;

/** A paid order whose domain is in our account until the buyer claims it. */
async function givenClaimable(status: 'awaiting_claim' | 'code_issued') {
  const sale = await app.givenPaidOrder();
  const { db, clock } = app.runtime;
  const { orderId: order_id } = sale;
  await db.transact((uow) => startTransfer(uow, order_id));
  await db.knex('transfers').where({ order_id }).update({ status: 'awaiting_confirmation' });
  const now = clock.now();
  await db.knex('deliveries').insert({
    order_id,
    method: status === 'code_issued' ? 'partner_registrar' : 'account',
    status,
    since: now,
    expires_at: new Date(now.getTime() + DAY),
    issue: 1,
    issued_at: now,
    created_at: now,
  });
  return sale;
}

/** A paid and delivered order in a statement with a payout. */
async function givenPayout() {
  const sale = await app.givenPaidOrder();
  await app.runtime.db.transact((uow) => startTransfer(uow, sale.orderId));
  await app.runtime.db.transact((uow) => confirmDelivery(uow, sale.orderId));
  app.runtime.clock.advance(60 * DAY);
  await settle(sale.partnerId);
  const [payout] = await payoutsOf(sale.partnerId);
  return { ...sale, payoutId: payout?.id as string };
}

const settle = (partnerId: string) =>
  closePartnerPeriods(app.runtime, {
    partnerId,
    environment: 'LIVE',
    until: app.runtime.clock.now(),
  });
const payoutsOf = (partnerId: string) =>
  app.runtime.db.knex('payouts').where({ partner_id: partnerId }).orderBy('id');
const pay = (payoutId: string) =>
  markPayoutPaid(app.runtime, 'test', { payoutId, reference: `wire-${payoutId}` });
const eventsOf = async (orderId: string) =>
  (await app.runtime.db.knex('events').where({ subject: orderId }).orderBy('position')).map(
    ({ type, body }) => ({ type, ...JSON.parse(body).data }),
  );
const statusOf = async (orderId: string) =>
  (await app.runtime.db.knex('orders').where({ id: orderId }).first('status')).status;

describe('a dispute at Stripe', () => {
  it('holds the order’s payout until it is won, and notifies the partner of both', async () => {
    const { page, orderId, payoutId } = await givenPayout();
    const dispute = standIn.dispute(page);
    await app.tell('charge.dispute.created', dispute);
    await app.tell('charge.dispute.created', dispute);
    const held = { details: { reason: 'payout_disputed' } };
    await expect(pay(payoutId)).rejects.toMatchObject(held);
    await app.tell('charge.dispute.updated', { ...dispute, status: 'under_review' });
    await expect(pay(payoutId)).rejects.toMatchObject(held);
    await app.tell('charge.dispute.closed', { ...dispute, status: 'won' });
    // Older events change nothing once the dispute is closed.
    await app.tell('charge.dispute.updated', { ...dispute, status: 'under_review' });
    await app.tell('charge.dispute.funds_reinstated', { ...dispute, status: 'won' });
    expect((await pay(payoutId)).status).toBe('paid');
    expect(await statusOf(orderId)).toBe('SETTLED');
    const told = (await eventsOf(orderId)).filter(({ type }) => type.startsWith('order.disput'));
    expect(told).toMatchObject([
      { type: 'order.disputed', dispute: { status: 'needs_response', amount_cents: 485_000 } },
      { type: 'order.dispute_closed', dispute: { status: 'won', reason: 'fraudulent' } },
    ]);
  });

  /** A delivered LIVE order through an affiliate's link, with a pending payout of its commission. */
  async function givenReferral(affiliate: Affiliate, link: ReferralLink) {
    const { runtime } = app;
    const { code } = link;
    const { session, page } = await app.givenBuyerAtStripe();
    const click = encodeClick({ code, clickedAt: runtime.clock.now() });
    await runtime.db
      .knex('checkout_sessions')
      .where({ id: session.id })
      .update({ referral_code: click });
    await app.tell('checkout.session.completed', standIn.pay(page));
    const [order] = await ordersOf(runtime, session);
    await deliver(runtime, order?.id ?? '');
    runtime.clock.advance(60 * DAY);
    await settle(session.partnerId);
    await settle(affiliate.partnerId);
    return { page, orderId: order?.id ?? '' };
  }

  it('also holds the payout of the affiliate who referred the buyer', async () => {
    const affiliate = await givenAffiliate(app.runtime, { environment: 'LIVE' });
    const { page } = await givenReferral(affiliate, await givenLink(app.runtime, affiliate));
    const [payout] = await payoutsOf(affiliate.partnerId);
    expect(payout).toMatchObject({ source: 'referral', status: 'pending' });
    const dispute = standIn.dispute(page);
    await app.tell('charge.dispute.created', dispute);
    await expect(pay(payout.id)).rejects.toMatchObject({ details: { reason: 'payout_disputed' } });
    await app.tell('charge.dispute.closed', { ...dispute, status: 'won' });
    expect((await pay(payout.id)).status).toBe('paid');
  });

  it('deducts a commission that was paid out from the affiliate’s next payout when lost', async () => {
    const { runtime } = app;
    const affiliate = await givenAffiliate(runtime, { environment: 'LIVE' });
    const link = await givenLink(runtime, affiliate);
    const lost = await givenReferral(affiliate, link);
    const [paid] = await payoutsOf(affiliate.partnerId);
    await pay(paid.id);
    const commission = Number(paid.amount_cents);
    const dispute = standIn.dispute(lost.page, { status: 'lost' });
    for (let n = 0; n < 2; n += 1) await app.tell('charge.dispute.closed', dispute);
    expect(await statusOf(lost.orderId)).toBe('REFUNDED');
    expect((await historyOf(runtime, affiliate)).slice(-2)).toEqual([
      ['paid_out', -commission, 0],
      ['reversed', -commission, -commission],
    ]);

    // The next commission only pays off the debt; the one after it is paid out again.
    await givenReferral(affiliate, link);
    expect(await payoutsOf(affiliate.partnerId)).toHaveLength(1);
    await givenReferral(affiliate, link);
    const [, next, ...more] = await payoutsOf(affiliate.partnerId);
    expect(next).toMatchObject({ source: 'referral', amount_cents: paid.amount_cents });
    expect(more).toEqual([]);
    await pay(next.id);
    expect((await historyOf(runtime, affiliate)).at(-1)).toEqual(['paid_out', -commission, 0]);
    expect((await checkLedger(runtime)).imbalances).toEqual([]);
  });

  it('holds an order whose transfer has not started until it is won', async () => {
    const { page, orderId } = await app.givenPaidOrder();
    const ops = await givenOps(app);
    const dispute = standIn.dispute(page);
    await app.tell('charge.dispute.created', dispute);
    expect(await statusOf(orderId)).toBe('MANUAL_REVIEW');
    await expect(
      app.runtime.db.transact((uow) => startTransfer(uow, orderId)),
    ).rejects.toMatchObject({ code: 'conflict' });
    const refused = await ops.post(`/orders/${orderId}/clear`);
    expect(refused.body.error.message).toContain('disputes the payment');
    await app.tell('charge.dispute.closed', { ...dispute, status: 'won' });
    expect(await statusOf(orderId)).toBe('PAID');
    const types = (await eventsOf(orderId)).map(({ type }) => type);
    expect(types.slice(-4)).toEqual([
      'order.disputed',
      'order.held',
      'order.dispute_closed',
      'order.manual_review_cleared',
    ]);
  });

  it('keeps an order in review that is also held for another reason, and refunds it when lost', async () => {
    const { page, orderId } = await app.givenPaidOrder();
    await app.runtime.db.transact((uow) => holdOrder(uow, orderId, 'price'));
    const first = standIn.dispute(page, { amount: 1_000 });
    await app.tell('charge.dispute.created', first);
    await app.tell('charge.dispute.closed', { ...first, status: 'won' });
    expect(await statusOf(orderId)).toBe('MANUAL_REVIEW');
    const second = standIn.dispute(page);
    await app.tell('charge.dispute.created', second);
    await app.tell('charge.dispute.closed', { ...second, status: 'lost' });
    expect(await statusOf(orderId)).toBe('REFUNDED');
  });

  it('shows operators the evidence link and deadline, and the held payout', async () => {
    const { page, orderId, payoutId } = await givenPayout();
    const ops = await givenOps(app);
    const dispute = standIn.dispute(page);
    await app.tell('charge.dispute.created', dispute);
    const { disputes } = (await ops.get('/disputes')).body;
    const found = disputes.find((each: { order_id: string }) => each.order_id === orderId);
    expect(found).toMatchObject({
      status: 'needs_response',
      evidence_due_at: new Date(dispute.evidence_details.due_by * SECOND).toISOString(),
      evidence_url: `https://dashboard.stripe.com/disputes/${dispute.id}`,
    });
    const console = await givenVisitor(app, 'finance');
    const list = await console.visit('/disputes?environment=LIVE');
    expect(list.text).toContain(`href="/ops/orders/${orderId}"`);
    expect(list.text).toContain(`href="https://dashboard.stripe.com/disputes/${dispute.id}"`);
    expect((await console.visit('')).text).toContain('Disputes to answer');
    const heldIds = async () =>
      (await ops.get('/payouts?status=held&limit=100')).body.payouts.map(
        ({ id }: { id: string }) => id,
      );
    expect(await heldIds()).toContain(payoutId);
    await app.tell('charge.dispute.closed', { ...dispute, status: 'warning_closed' });
    expect(await heldIds()).not.toContain(payoutId);
  });

  it('claws the order back when lost after delivery, without a refund at Stripe', async () => {
    const { page, orderId, partnerId, session } = await givenPayout();
    const dispute = standIn.dispute(page, { status: 'lost' });
    await app.tell('charge.dispute.closed', dispute);
    await app.tell('charge.dispute.closed', dispute);
    expect(await statusOf(orderId)).toBe('REFUNDED');
    expect(await paymentsOf(app.runtime, session)).toMatchObject([
      { status: 'refunded', refund_reference: dispute.id },
    ]);
    expect(
      standIn.refunds.filter(({ payment_intent }) => payment_intent === intentOf(page)),
    ).toEqual([]);
    const [refund] = await app.runtime.db.knex('refunds').where({ order_id: orderId });
    expect(refund).toMatchObject({ kind: 'clawback', reason: 'fraudulent' });
    const types = (await eventsOf(orderId)).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['order.disputed', 'order.dispute_closed', 'order.refunded']);
    app.runtime.clock.advance(60 * DAY);
    await settle(partnerId);
    const lines = await app.runtime.db
      .knex('settlement_lines')
      .where({ order_id: orderId })
      .orderBy('occurred_at');
    expect(lines.map(({ commission_cents }) => Number(commission_cents))).toEqual([
      72_750, -72_750,
    ]);
    expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  });

  it('refunds the order when lost before delivery, even if the registrar already moved the domain', async () => {
    const waiting = await app.givenPaidOrder();
    await app.tell('charge.dispute.closed', standIn.dispute(waiting.page, { status: 'lost' }));
    expect(await statusOf(waiting.orderId)).toBe('REFUNDED');
    const moved = await app.givenPaidOrder();
    await app.runtime.db.transact((uow) => startTransfer(uow, moved.orderId));
    await app.runtime.db
      .knex('transfers')
      .where({ order_id: moved.orderId })
      .update({ status: 'awaiting_confirmation' });
    await app.tell('charge.dispute.closed', standIn.dispute(moved.page, { status: 'lost' }));
    expect(await statusOf(moved.orderId)).toBe('REFUNDED');
    expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  });

  it('withdraws and relists the domain when lost while it waits to be claimed', async () => {
    const { orderId, page, session } = await givenClaimable('awaiting_claim');
    await app.tell('charge.dispute.closed', standIn.dispute(page, { status: 'lost' }));
    expect(await statusOf(orderId)).toBe('REFUNDED');
    const { knex } = app.runtime.db;
    const delivery = await knex('deliveries').where({ order_id: orderId }).first();
    expect(delivery.status).toBe('failed');
    const refund = await knex('refunds').where({ order_id: orderId }).first();
    expect(refund.kind).toBe('refund');
    const listing = await knex('listings').where({ domain: session.domain }).first();
    expect(listing.status).toBe('listed');
    const told = (await eventsOf(orderId)).map(({ type }) => type);
    expect(told).not.toContain('order.transfer_completed');
    expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  });

  it('first asks the registrar to stop the transfer when lost while a code is issued', async () => {
    const { orderId, page } = await givenClaimable('code_issued');
    await app.tell('charge.dispute.closed', standIn.dispute(page, { status: 'lost' }));
    expect(await statusOf(orderId)).toBe('TRANSFER_IN_PROGRESS');
    await app.runtime.db.transact((uow) => recordCancelPushResult(uow, orderId, 'cancelled'));
    expect(await statusOf(orderId)).toBe('REFUNDED');
    expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  });

  it('is recorded and left to staff when lost for a domain on legal hold', async () => {
    const { orderId, page, session } = await app.givenPaidOrder();
    const { db } = app.runtime;
    await db.transact((uow) => startTransfer(uow, orderId));
    await db
      .knex('transfers')
      .where({ order_id: orderId })
      .update({ status: 'awaiting_confirmation' });
    await placeLegalHold(app.runtime, 'cli:test', {
      domain: session.domain,
      kind: 'court_order',
      caseReference: 'C-1',
    });
    await app.tell('charge.dispute.closed', standIn.dispute(page, { status: 'lost' }));
    expect(await statusOf(orderId)).toBe('TRANSFER_IN_PROGRESS');
    const [dispute] = await db.knex('payment_disputes').where({ order_id: orderId });
    expect(dispute.status).toBe('lost');
  });

  it('prevents staff from declining the refund when lost while the transfer is being stopped', async () => {
    const sale = await app.givenPaidOrder();
    const { orderId, page } = sale;
    const inOne = app.runtime.db.transact;
    await inOne((uow) => startTransfer(uow, orderId));
    await beginPush(app.runtime, { orderId, attempt: 1 });
    await inOne((uow) => refundOrder(uow, { orderId, ...BY_STAFF }));
    await inOne((uow) => recordCancelPushResult(uow, orderId, 'unanswered'));
    await app.tell('charge.dispute.closed', standIn.dispute(page, { status: 'lost' }));
    await expect(inOne((uow) => declineRefund(uow, orderId))).rejects.toMatchObject({
      details: { reason: 'invalid_state' },
      message: expect.stringContaining('was lost'),
    });
    await inOne((uow) => approveRefund(uow, orderId));
    expect(await statusOf(orderId)).toBe('REFUNDED');
    const [payment] = await paymentsOf(app.runtime, sale.session);
    expect(payment?.status).toBe('refunded');
    expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  });

  it('tells the buyer that the bank returned the payment when lost', async () => {
    const { page, orderId } = await app.givenPaidOrder();
    await app.tell('charge.dispute.closed', standIn.dispute(page, { status: 'lost' }));
    const mail = await app.runtime.db
      .knex('mails')
      .where({ cause: `refund:${orderId}` })
      .first();
    expect(mail).toMatchObject({ data: { byBank: true } });
  });

  it('is left to staff when it covers only part of the price', async () => {
    const { page, orderId } = await givenPayout();
    await app.tell(
      'charge.dispute.closed',
      standIn.dispute(page, { status: 'lost', amount: 1_000 }),
    );
    expect(await statusOf(orderId)).toBe('SETTLED');
  });

  it('appears in the console’s list of lost disputes when lost over part of the price', async () => {
    const { page, orderId } = await givenPayout();
    await app.tell(
      'charge.dispute.closed',
      standIn.dispute(page, { status: 'lost', amount: 1_000 }),
    );
    const console = await givenVisitor(app, 'finance');
    const link = `href="/ops/orders/${orderId}"`;
    const lost = await console.visit('/disputes?status=lost&environment=LIVE&sort=newest');
    expect(lost.text).toContain(link);
    expect(lost.text).toContain('the marketplace bears the loss');
    expect((await console.visit('/disputes?sort=newest')).text).not.toContain(link);
  });
});

function intentOf(page: string): string | null {
  return standIn.sessions.get(page)?.payment_intent ?? null;
}
