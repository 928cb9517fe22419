import { refundPaymentKey } from '../../shared/money/payments/payment.jobs.ts';
import type { Payment } from '../../shared/money/payments/payment.ts';
import { openPayment } from '../../shared/money/payments/payment-lifecycle.ts';
import type { Card, PaymentRequest } from '../../shared/money/payments/payment-provider.ts';
import { recordUnrefundable } from '../../shared/money/payments/repay-buyer.ts';
import { addMs, HOUR } from '../../shared/platform/clock.ts';
import type { Environment } from '../../shared/platform/config/config.ts';
import { newId } from '../../shared/platform/ids.ts';
import { Money } from '../../shared/platform/money.ts';
import { applyPaymentState } from '../../shared/sales/checkout/apply-payment-state.ts';
import { createSession } from '../../shared/sales/checkout/checkout-lifecycle.ts';
import type { CheckoutSession } from '../../shared/sales/checkout/checkout-session.ts';
import { pay } from '../../shared/sales/checkout/pay-checkout.ts';
import { givenListing, givenPartner } from './factories.ts';
import type { Runtime } from './runtime.ts';

/** The test cards that docs/sandbox.md lists. */
export const CARDS = {
  succeeds: '4242424242424242',
  confirms: '4000002500003155',
  declined: '4000000000000002',
  insufficient: '4000000000009995',
  expired: '4000000000000069',
  wrongCvc: '4000000000000127',
  faulty: '4000000000000119',
} as const;

export function card(number: string, more: Partial<Card> = {}): Card {
  return { number, expMonth: 12, expYear: 2_099, cvc: '123', ...more };
}

/** Creates an open payment, by default of a new partner and session. */
export async function givenPayment(
  runtime: Runtime,
  options: {
    partnerId?: string;
    environment?: Environment;
    sessionId?: string;
    amountCents?: number;
  } = {},
): Promise<Payment & { sessionId: string; partnerId: string }> {
  const now = runtime.clock.now();
  const environment = options.environment ?? 'SANDBOX';
  const partnerId = options.partnerId ?? (await givenPartner(runtime, { environment })).partnerId;
  const payment = await runtime.db.transact((uow) =>
    openPayment(uow, {
      sessionId: options.sessionId ?? newId('checkoutSession', now),
      partnerId,
      environment,
      provider: runtime.payments(environment).name,
      amount: new Money(options.amountCents ?? 485_000, 'USD'),
    }),
  );
  if (!payment || payment.sessionId === null) throw new Error('the session has a live payment');
  return payment;
}

export function requestFor(
  payment: Payment,
  more: Partial<PaymentRequest> & { now: Date },
): PaymentRequest {
  const { now, ...rest } = more;
  return {
    paymentId: payment.id,
    amount: payment.amount,
    description: 'example.com',
    buyerEmail: 'buyer@example.com',
    returnUrl: 'https://shop.example/done',
    cancelUrl: 'https://shop.example/back',
    card: null,
    expiresAt: addMs(now, HOUR),
    ...rest,
  };
}

/** Creates a checkout session of a new partner for a new listing. */
export async function givenSession(
  runtime: Runtime,
  environment: Environment = 'SANDBOX',
): Promise<CheckoutSession> {
  const partner = await givenPartner(runtime, { environment });
  const { domain } = await givenListing(runtime, { environment });
  const input = { domain, returnUrl: null, cancelUrl: null, buyerEmail: null };
  const { session } = await createSession(
    runtime,
    { ...partner, commissionBps: 1_500 },
    { ...input, clientReference: null, quote: null },
  );
  return session;
}

/** Pays as the buyer does: with a card, or without one if the provider collects it. */
export function payFor(
  runtime: Runtime,
  session: CheckoutSession,
  given: Card | null,
  buyer = { email: 'buyer@example.com', name: 'A. Buyer' },
) {
  return pay(runtime, {
    sessionId: session.id,
    shown: session.price,
    buyer: { ...buyer, country: 'DE' },
    card: given,
    referralCode: null,
    returnUrl: 'https://shop.example/done',
    cancelUrl: 'https://shop.example/back',
  });
}

/**
 * Lets a buyer pay twice in one session, so that the first payment is refunded, and lets the provider refuse that for
 * good. Returns the session and the ID of the first payment.
 */
export async function givenUnrefundable(
  runtime: Runtime,
): Promise<{ session: CheckoutSession; paymentId: string }> {
  const session = await givenSession(runtime);
  await payFor(runtime, session, card(CARDS.declined));
  await payFor(runtime, session, card(CARDS.succeeds));
  const [first] = await paymentsOf(runtime, session);
  const paymentId = first?.id ?? '';
  const reference = `sandbox_${paymentId}`;
  await applyPaymentState(runtime, paymentId, { status: 'succeeded', reference });
  await runtime.db.transact((uow) => recordUnrefundable(uow, paymentId));
  const job = { name: 'refund-payment', dedupe_key: refundPaymentKey(paymentId) };
  await runtime.db.knex('outbox').where(job).update({ state: 'dead' });
  return { session, paymentId };
}

/** Returns the payments of a session, oldest first. */
export function paymentsOf(runtime: Runtime, session: CheckoutSession): Promise<PaymentRow[]> {
  return runtime.db
    .knex('payments')
    .where({ checkout_session_id: session.id })
    .orderBy('attempt')
    .select('id', 'status', 'decline_code', 'provider_reference', 'order_id', 'refund_reference');
}

export interface PaymentRow {
  id: string;
  status: string;
  decline_code: string | null;
  provider_reference: string | null;
  order_id: string | null;
  refund_reference: string | null;
}

/** Returns the orders of a session; more than one would be a bug. */
export function ordersOf(
  runtime: Runtime,
  session: CheckoutSession,
): Promise<{ id: string; status: string }[]> {
  return runtime.db
    .knex('orders')
    .where({ checkout_session_id: session.id })
    .select('id', 'status');
}
