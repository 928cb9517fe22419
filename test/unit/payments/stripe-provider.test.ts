import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  PaymentProvider,
  PaymentRequest,
} from '../../../shared/money/payments/payment-provider.ts';
import { addMs, HOUR, MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { Money } from '../../../shared/platform/money.ts';
import { openedPayment, paymentRequest, stripeProvider } from '../../support/stripe-scene.ts';
import {
  STRIPE_KEY,
  STRIPE_LIVE_KEY,
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

const request = (more: Partial<PaymentRequest> = {}) => paymentRequest(now, more);
const opened = (more: Partial<PaymentRequest> = {}) => openedPayment(provider, now, more);

const refund = ({ paymentId, reference }: { paymentId: string; reference: string }) =>
  provider.refund({ paymentId, reference, amount: new Money(485_000, 'USD') });

const posts = (path: string) =>
  standIn.requests.filter((seen) => seen.method === 'POST' && seen.path === path);

describe('creating a Stripe payment', () => {
  it('opens a page at Stripe with the price, the buyer, and our payment id', async () => {
    const asked = request();
    const step = await provider.begin(asked);
    const [session] = standIn.sessions.values();
    expect(step).toEqual({
      status: 'requires_confirmation',
      reference: session?.id,
      url: session?.url,
    });
    expect(session).toMatchObject({ amount_total: 485_000, currency: 'usd' });
    expect(posts('/v1/checkout/sessions')).toMatchObject([
      {
        idempotencyKey: asked.paymentId,
        fields: {
          client_reference_id: asked.paymentId,
          customer_email: 'buyer@example.com',
          success_url: 'https://shop.example/done?session=1',
          cancel_url: 'https://shop.example/back',
          'metadata[payment_id]': asked.paymentId,
          'payment_intent_data[metadata][payment_id]': asked.paymentId,
          'line_items[0][price_data][product_data][name]': 'example.com',
        },
      },
    ]);
  });

  it('opens only one page when requested twice', async () => {
    const asked = request({ expiresAt: addMs(now, 10 * MINUTE) });
    const first = await provider.begin(asked);
    now = addMs(now, 2 * MINUTE);
    expect(await provider.begin(asked)).toEqual(first);
    expect(standIn.sessions.size).toBe(1);
  });

  it.each<[string, (number | 'cut')[]]>([
    ['an error at Stripe', [500]],
    ['a connection lost after Stripe processed the request', ['cut']],
    ['two failures', ['cut', 503]],
  ])('opens only one page after %s', async (_what, faults) => {
    standIn.faults = faults;
    expect((await provider.begin(request())).status).toBe('requires_confirmation');
    expect(standIn.sessions.size).toBe(1);
  });

  it('fails with service_unavailable when Stripe is down, leaking no details', async () => {
    standIn.faults = [500, 500, 500, 500];
    const error = await provider.begin(request()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'service_unavailable' });
    expect(
      JSON.stringify((error as Error).cause, Object.getOwnPropertyNames((error as Error).cause)),
    ).not.toContain('buyer@example.com');
  });

  it('fails with service_unavailable if Stripe does not know the API key', async () => {
    await expect(create(`${STRIPE_KEY}9`).begin(request())).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });

  it('fails if Stripe refuses it or its id is reused with other content', async () => {
    const refused = await provider.begin(request({ amount: new Money(100_000_000, 'USD') }));
    expect(refused).toEqual({ status: 'failed', reference: null, code: 'processing_error' });
    const asked = request();
    await provider.begin(asked);
    const changed = await provider.begin({ ...asked, buyerEmail: 'other@example.com' });
    expect(changed).toMatchObject({ status: 'failed', code: 'processing_error' });
    expect(standIn.sessions.size).toBe(1);
  });

  it.each([
    ['at least 33 minutes', 1 * MINUTE, 33 * MINUTE],
    ['as long as asked', 3 * HOUR, 3 * HOUR],
    ['less than a day', 100 * HOUR, 24 * HOUR - 5 * MINUTE],
  ])('opens the page for %s', async (_what, asked, open) => {
    await provider.begin(request({ expiresAt: addMs(now, asked) }));
    const [session] = standIn.sessions.values();
    expect(session?.expires_at).toBe(Math.floor((NOW.getTime() + open) / SECOND));
  });

  it('fails without a page if Stripe cannot represent the amount exactly', async () => {
    expect(provider.carries(new Money(750, 'MGA'))).toBe(false);
    const refused = await provider.begin(request({ amount: new Money(750, 'MGA') }));
    expect(refused).toEqual({ status: 'failed', reference: null, code: 'processing_error' });
    expect([...standIn.sessions.values()]).toEqual([]);
  });

  it('sends Icelandic krónur in hundredths, as Stripe requires', async () => {
    await provider.begin(request({ amount: new Money(700, 'ISK') }));
    expect([...standIn.sessions.values()]).toMatchObject([
      { amount_total: 70_000, currency: 'isk' },
    ]);
  });
});

describe('reading a Stripe payment', () => {
  it('distinguishes open, paid, and expired pages', async () => {
    const payment = await opened();
    const { reference } = payment;
    expect(await provider.read(reference, payment)).toMatchObject({
      status: 'requires_confirmation',
    });
    standIn.pay(reference);
    expect(await provider.read(reference, payment)).toEqual({ status: 'succeeded', reference });
    const other = await opened();
    standIn.expire(other.reference);
    expect(await provider.read(other.reference, other)).toEqual({
      status: 'failed',
      reference: other.reference,
      code: 'cancelled',
    });
  });

  it('follows a debit until it succeeds or fails', async () => {
    const payment = await opened();
    const { reference } = payment;
    standIn.pay(reference, 'processing');
    expect(await provider.read(reference, payment)).toEqual({ status: 'pending', reference });
    standIn.debit(reference, { code: 'card_declined', decline_code: 'insufficient_funds' });
    expect(await provider.read(reference, payment)).toMatchObject({
      status: 'failed',
      code: 'insufficient_funds',
    });
    standIn.debit(reference, null);
    expect(await provider.read(reference, payment)).toEqual({ status: 'succeeded', reference });
  });

  it('finds nothing for an unknown or missing reference', async () => {
    const nothing = { status: 'failed', reference: null, code: 'processing_error' };
    expect(await provider.read('cs_test_unknown', request())).toEqual(nothing);
    expect(await provider.read(newId('payment', now), request())).toEqual(nothing);
  });

  it('closes the page when the buyer cancels, unless it is paid', async () => {
    const payment = await opened();
    const { reference } = payment;
    expect(await provider.confirm(reference, false, payment)).toMatchObject({ code: 'cancelled' });
    const paid = await opened();
    standIn.pay(paid.reference);
    expect((await provider.confirm(paid.reference, false, paid)).status).toBe('succeeded');
  });
});

describe('a Stripe response that does not match the payment', () => {
  const change = (reference: string, what: object) =>
    Object.assign(standIn.sessions.get(reference) ?? {}, what);

  it.each([
    ['of another amount', { amount_total: 100 }],
    ['of another currency', { currency: 'jpy' }],
    ['of another payment', { metadata: { payment_id: 'pmt_other' } }],
    ['of nobody', { metadata: {} }],
    ['of the other mode', { livemode: true }],
  ])('%s counts neither as paid nor as refundable', async (_what, wrong) => {
    const payment = await opened();
    standIn.pay(payment.reference);
    change(payment.reference, wrong);
    const refused = { code: 'service_unavailable' };
    await expect(provider.read(payment.reference, payment)).rejects.toMatchObject(refused);
    await expect(provider.confirm(payment.reference, true, payment)).rejects.toMatchObject(refused);
    expect(await refund(payment)).toEqual({ status: 'failed', reference: null });
    expect(standIn.refunds).toEqual([]);
  });

  it('is never in test mode with a live key', async () => {
    standIn.livemode = false;
    await expect(create(STRIPE_LIVE_KEY).begin(request())).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('needs to be checked'),
    });
    standIn.livemode = true;
    expect((await create(STRIPE_LIVE_KEY).begin(request())).status).toBe('requires_confirmation');
  });
});

describe('a Stripe refund', () => {
  it('pays the whole amount back once, even if Stripe forgot the idempotency key', async () => {
    const payment = await opened();
    standIn.pay(payment.reference);
    const first = await refund(payment);
    expect(first).toEqual({ status: 'succeeded', reference: standIn.refunds[0]?.id });
    expect(await refund(payment)).toEqual(first);
    expect(standIn.refunds).toMatchObject([
      { amount: 485_000, metadata: { payment_id: payment.paymentId } },
    ]);
  });

  it('is made once if the connection breaks after Stripe processed it', async () => {
    const payment = await opened();
    standIn.pay(payment.reference);
    standIn.faults = ['cut'];
    expect((await refund(payment)).status).toBe('succeeded');
    expect(standIn.refunds).toHaveLength(1);
  });

  it('is not repeated while it is pending', async () => {
    const payment = await opened();
    standIn.pay(payment.reference);
    standIn.refundStatus = 'pending';
    expect((await refund(payment)).status).toBe('pending');
    expect((await refund(payment)).status).toBe('pending');
    expect(standIn.refunds).toHaveLength(1);
  });

  it('is tried again after it failed', async () => {
    const payment = await opened();
    standIn.pay(payment.reference);
    standIn.refundStatus = 'failed';
    expect((await refund(payment)).status).toBe('failed');
    standIn.refundStatus = 'succeeded';
    expect((await refund(payment)).status).toBe('succeeded');
    expect(standIn.refunds.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  it('pays back only what was not already refunded by hand', async () => {
    const payment = await opened();
    const { payment_intent } = standIn.pay(payment.reference);
    const byHand = { object: 'refund', status: 'succeeded', metadata: {} } as const;
    standIn.refunds.push({
      ...byHand,
      id: 're_hand',
      amount: 85_000,
      payment_intent: payment_intent ?? '',
    });
    expect((await refund(payment)).status).toBe('succeeded');
    expect(standIn.refunds.map(({ amount }) => amount)).toEqual([85_000, 400_000]);
  });

  it('fails for a payment that was never made', async () => {
    expect(await refund(await opened())).toEqual({ status: 'failed', reference: null });
  });
});
