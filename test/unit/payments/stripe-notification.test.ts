import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  PaymentProvider,
  PaymentRequest,
} from '../../../shared/money/payments/payment-provider.ts';
import { addMs, DAY, SECOND } from '../../../shared/platform/clock.ts';
import { Money } from '../../../shared/platform/money.ts';
import { openedPayment, stripeProvider } from '../../support/stripe-scene.ts';
import {
  STRIPE_KEY,
  type StripeStandIn,
  startStripeStandIn,
} from '../../support/stripe-stand-in.ts';

const NOW = new Date('2026-11-20T09:30:00.000Z');
let now: Date;
let standIn: StripeStandIn;
let provider: PaymentProvider;

const create = (secretKey = STRIPE_KEY) => stripeProvider(standIn, () => now, secretKey);

beforeEach(async () => {
  now = NOW;
  standIn = await startStripeStandIn(() => now);
  provider = create();
});
afterEach(() => standIn.stop());

const opened = (more: Partial<PaymentRequest> = {}) => openedPayment(provider, now, more);

describe('a Stripe webhook notification', () => {
  /** All payments in these tests have the same amount. */
  const expected = async (paymentId: string) => ({
    paymentId,
    amount: new Money(485_000, 'USD'),
  });
  const read = (body: string, signature: string | undefined) =>
    provider.readNotification(Buffer.from(body), { 'stripe-signature': signature }, expected);
  const told = async (type: string, object: object) => {
    const { body, signature } = standIn.notification(type, object, now);
    return read(body, signature);
  };

  it('reports the progress of a payment', async () => {
    const { paymentId, reference } = await opened();
    const session = standIn.pay(reference);
    const succeeded = { paymentId, step: { status: 'succeeded', reference } };
    expect(await told('checkout.session.completed', session)).toEqual(succeeded);
    expect(await told('checkout.session.async_payment_succeeded', session)).toEqual(succeeded);
  });

  it('reports that a debit is pending or failed, or that the page expired', async () => {
    const { reference } = await opened();
    const session = standIn.pay(reference, 'processing');
    expect(await told('checkout.session.completed', session)).toMatchObject({
      step: { status: 'pending' },
    });
    expect(await told('checkout.session.async_payment_failed', session)).toMatchObject({
      step: { status: 'failed', code: 'card_declined' },
    });
    const other = await opened();
    expect(await told('checkout.session.expired', standIn.expire(other.reference))).toMatchObject({
      step: { status: 'failed', code: 'cancelled' },
    });
  });

  it('reports a refund', async () => {
    const { paymentId, reference } = await opened();
    standIn.pay(reference);
    const charge = standIn.charge(reference);
    expect(await told('charge.refunded', charge)).toEqual({
      paymentId,
      refund: { status: 'succeeded', reference: null },
      isWhole: true,
    });
    const part = { ...charge, refunded: false, amount_refunded: 1_000 };
    expect(await told('charge.refunded', part)).toEqual({
      paymentId,
      partialRefund: new Money(1_000, 'USD'),
    });
    for (const amount_refunded of [0, 485_000, null]) {
      expect(await told('charge.refunded', { ...part, amount_refunded })).toBeNull();
    }
    const failed = {
      id: 're_1',
      object: 'refund',
      amount: 485_000,
      currency: 'usd',
      status: 'failed',
      metadata: { payment_id: paymentId },
    };
    expect(await told('refund.failed', failed)).toEqual({
      paymentId,
      refund: { status: 'failed', reference: 're_1' },
    });
    for (const wrong of [{ amount: 485_001 }, { currency: 'eur' }]) {
      expect(await told('charge.refunded', { ...charge, ...wrong })).toBeNull();
      expect(await told('charge.refunded', { ...part, ...wrong })).toBeNull();
      expect(await told('refund.failed', { ...failed, ...wrong })).toBeNull();
    }
  });

  it('reports a dispute of a payment, identified by its payment intent', async () => {
    const { paymentId, reference } = await opened();
    standIn.pay(reference);
    const dispute = standIn.dispute(reference);
    const evidenceDueAt = addMs(now, 7 * DAY);
    const state = {
      reference: dispute.id,
      reason: 'fraudulent',
      amount: new Money(485_000, 'USD'),
      evidenceDueAt,
    };
    expect(await told('charge.dispute.created', dispute)).toEqual({
      paymentId,
      dispute: { ...state, status: 'needs_response' },
    });
    for (const [status, ours] of Object.entries({
      warning_needs_response: 'needs_response',
      under_review: 'under_review',
      warning_closed: 'withdrawn',
      won: 'won',
      lost: 'lost',
    })) {
      expect(await told('charge.dispute.closed', { ...dispute, status })).toMatchObject({
        dispute: { status: ours },
      });
    }
    for (const wrong of [
      { amount: 485_001 },
      { currency: 'eur' },
      { payment_intent: 'pi_unknown' },
      { status: 'appeal_under_review' },
    ]) {
      expect(await told('charge.dispute.closed', { ...dispute, ...wrong })).toBeNull();
    }
    standIn.faults = [500, 500, 500];
    await expect(told('charge.dispute.created', dispute)).rejects.toMatchObject({ status: 503 });
  });

  it("is ignored if it is about a partner's account", async () => {
    const { reference } = await opened();
    const paid = standIn.pay(reference);
    const told = standIn.notification('checkout.session.completed', paid, now, {
      account: 'acct_1',
    });
    expect(await read(told.body, told.signature)).toBeNull();
  });

  it('is ignored if it is about anything else', async () => {
    const foreign = { id: 'cs_1', payment_status: 'paid', client_reference_id: 'order-17' };
    expect(await told('checkout.session.completed', foreign)).toBeNull();
    expect(
      await told('checkout.session.completed', { ...foreign, client_reference_id: null }),
    ).toBeNull();
    expect(await told('refund.updated', { id: 're_1', metadata: null })).toBeNull();
    expect(await told('customer.created', { id: 'cus_1' })).toBeNull();
  });

  it('is ignored for pages that we did not create, whatever their reference', async () => {
    const { paymentId, reference } = await opened();
    const paid = { ...standIn.pay(reference), id: 'cs_of_a_payment_link', metadata: {} };
    expect(paid.client_reference_id).toBe(paymentId);
    for (const type of [
      'completed',
      'async_payment_succeeded',
      'async_payment_failed',
      'expired',
    ]) {
      expect(await told(`checkout.session.${type}`, paid)).toBeNull();
    }
  });

  it.each([
    ['another amount', { amount_total: 100 }],
    ['another currency', { currency: 'eur' }],
    ['the other mode', { livemode: true }],
  ])('is ignored with %s', async (_what, wrong) => {
    const { reference } = await opened();
    const paid = { ...standIn.pay(reference), ...wrong };
    expect(await told('checkout.session.completed', paid)).toBeNull();
  });

  it('is ignored if it is from the other mode', async () => {
    const { reference } = await opened();
    const session = standIn.pay(reference);
    standIn.livemode = true;
    expect(await told('checkout.session.completed', session)).toBeNull();
    expect(await told('charge.refunded', standIn.charge(reference))).toBeNull();
  });

  it('is rejected unless its signature matches the exact bytes and is recent', async () => {
    const { body, signature } = standIn.notification('customer.created', { id: 'cus_1' }, now);
    const refused = { code: 'validation_error', status: 400 };
    await expect(read(`${body} `, signature)).rejects.toMatchObject(refused);
    await expect(read(body, undefined)).rejects.toMatchObject(refused);
    await expect(read(body, 'nonsense')).rejects.toMatchObject(refused);
    await expect(read('', signature)).rejects.toMatchObject(refused);
    now = addMs(now, 301 * SECOND);
    await expect(read(body, signature)).rejects.toMatchObject(refused);
  });
});
