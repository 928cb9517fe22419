import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  PaymentProvider,
  PaymentRequest,
} from '../../../shared/money/payments/payment-provider.ts';
import { addMs, SECOND } from '../../../shared/platform/clock.ts';
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

describe('a notification', () => {
  /** Every payment here is of the same amount. */
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

  it('tells the step of a payment', async () => {
    const { paymentId, reference } = await opened();
    const session = standIn.pay(reference);
    const succeeded = { paymentId, step: { status: 'succeeded', reference } };
    expect(await told('checkout.session.completed', session)).toEqual(succeeded);
    expect(await told('checkout.session.async_payment_succeeded', session)).toEqual(succeeded);
  });

  it('tells that a debit is under way, or has failed, or that the page is over', async () => {
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

  it('tells a refund', async () => {
    const { paymentId } = await opened();
    const metadata = { payment_id: paymentId };
    const charge = { object: 'charge', refunded: true, metadata };
    expect(await told('charge.refunded', charge)).toEqual({
      paymentId,
      refund: { status: 'succeeded', reference: null },
    });
    expect(await told('charge.refunded', { ...charge, refunded: false })).toBeNull();
    const failed = { id: 're_1', object: 'refund', status: 'failed', metadata };
    expect(await told('refund.failed', failed)).toEqual({
      paymentId,
      refund: { status: 'failed', reference: 're_1' },
    });
  });

  it('about anything else says nothing', async () => {
    const foreign = { id: 'cs_1', payment_status: 'paid', client_reference_id: 'order-17' };
    expect(await told('checkout.session.completed', foreign)).toBeNull();
    expect(
      await told('checkout.session.completed', { ...foreign, client_reference_id: null }),
    ).toBeNull();
    expect(await told('refund.updated', { id: 're_1', metadata: null })).toBeNull();
    expect(await told('customer.created', { id: 'cus_1' })).toBeNull();
  });

  it('about a page of somebody else’s making says nothing, whatever reference a buyer gave it', async () => {
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
  ])('of %s says nothing', async (_what, wrong) => {
    const { reference } = await opened();
    const paid = { ...standIn.pay(reference), ...wrong };
    expect(await told('checkout.session.completed', paid)).toBeNull();
  });

  it('of an event of the other mode says nothing, of a refund either', async () => {
    const { paymentId, reference } = await opened();
    const session = standIn.pay(reference);
    standIn.livemode = true;
    expect(await told('checkout.session.completed', session)).toBeNull();
    const charge = { object: 'charge', refunded: true, metadata: { payment_id: paymentId } };
    expect(await told('charge.refunded', charge)).toBeNull();
  });

  it('is refused unless its signature fits the very bytes and is fresh', async () => {
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
