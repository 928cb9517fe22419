import type {
  PaymentProvider,
  PaymentRequest,
} from '../../shared/money/payments/payment-provider.ts';
import { receiveStripeNotification } from '../../shared/money/payments/payment-updates.ts';
import { createStripeProvider } from '../../shared/money/payments/stripe-provider.ts';
import { addMs, HOUR } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import { Money } from '../../shared/platform/money.ts';
import { createLogger } from '../../shared/platform/observability/logger.ts';
import { PAYMENT_NEWS } from '../../shared/sales/payment-news/apply-payment-news.ts';
import type { Runtime } from './runtime.ts';
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, type StripeStandIn } from './stripe-stand-in.ts';

/** Returns the provider, with the stand-in instead of Stripe. */
export function stripeProvider(
  standIn: StripeStandIn,
  now: () => Date,
  secretKey = STRIPE_KEY,
): PaymentProvider {
  return createStripeProvider({
    secretKey,
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    apiUrl: standIn.url,
    clock: { now },
    log: createLogger({ level: 'silent', name: 'test' }),
  });
}

/** Returns a payment of 4,850.00 USD requested at `now`. */
export function paymentRequest(now: Date, more: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    paymentId: newId('payment', now),
    amount: new Money(485_000, 'USD'),
    description: 'example.com',
    buyerEmail: 'buyer@example.com',
    returnUrl: 'https://shop.example/done?session=1',
    cancelUrl: 'https://shop.example/back',
    card: null,
    expiresAt: addMs(now, HOUR),
    ...more,
  };
}

/** Creates that payment and opens its page at Stripe. */
export async function openedPayment(
  provider: PaymentProvider,
  now: Date,
  more: Partial<PaymentRequest> = {},
) {
  const asked = paymentRequest(now, more);
  const step = await provider.begin(asked);
  if (step.status !== 'requires_confirmation') throw new Error(step.status);
  return { ...asked, reference: step.reference };
}

/** Sends the service a notification from Stripe. */
export async function notify(
  runtime: Runtime,
  standIn: StripeStandIn,
  type: string,
  object: object,
): Promise<void> {
  const { body, signature } = standIn.notification(type, object, runtime.clock.now());
  await receiveStripeNotification(
    runtime,
    { rawBody: Buffer.from(body), headers: { 'stripe-signature': signature } },
    { ...PAYMENT_NEWS, payoutReturn: async () => {} },
  );
}
