import type { Stripe } from 'stripe';
import type { ExpectedPayment } from './payment-provider.ts';
import { stripeAmount } from './stripe-session.ts';

/** Whether a key of Stripe moves real money; `sk_test_...` and `rk_test_...` never do. */
export function isLiveKey(secretKey: string): boolean {
  return /^(sk|rk)_live_/.test(secretKey);
}

/**
 * Why a session is not the one that we asked for, or null. Somebody with access to the account can make and
 * change pages by hand, and the signing secret of a test endpoint signs payments that moved no money.
 */
export function mismatchOf(
  session: Stripe.Checkout.Session,
  expected: ExpectedPayment,
  live: boolean,
): 'livemode' | 'payment' | 'amount' | 'currency' | null {
  if (session.livemode !== live) return 'livemode';
  if (session.metadata?.payment_id !== expected.paymentId) return 'payment';
  if (session.currency?.toUpperCase() !== expected.amount.currency) return 'currency';
  return session.amount_total === stripeAmount(expected.amount) ? null : 'amount';
}
