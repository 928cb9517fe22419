import { findSessionPayment } from '../payments/find-payment.ts';
import { openPayment } from '../payments/open-payment.ts';
import type { Payment } from '../payments/payment.ts';
import type { Card, PaymentState } from '../payments/payment-provider.ts';
import { providerOf } from '../payments/provider-of.ts';
import { addMs } from '../platform/clock.ts';
import type { Money } from '../platform/money.ts';
import type { Runtime } from '../runtime.ts';
import { reserveDomain } from './reserve.ts';
import { saveBuyerDetails } from './session.store.ts';
import { blocksNewPayment, type CheckoutSession, statusAt } from './session.ts';
import { applyPaymentState } from './settle-payment-step.ts';
import { transactWithSession } from './transact-session.ts';

/** What the buyer sends with "pay". */
export interface PaymentSubmission {
  sessionId: string;
  /** The price that the buyer saw beside the button. */
  shown: Money;
  buyer: { email: string; name: string; country: string };
  /** In memory for this one call; null where the provider asks for it. */
  card: Card | null;
  referralCode: string | null;
  /** Where a provider's own page sends the buyer afterwards. */
  returnUrl: string;
  cancelUrl: string;
}

/**
 * What came of it. Only `step` asked the provider: `over` (the session takes no payment any more, or has
 * one), `repriced`, `sold` and `reserved` charged nothing.
 */
export type SubmissionResult =
  | { kind: 'step'; step: PaymentState }
  | { kind: 'over' | 'repriced' | 'sold' | 'reserved' };

type Refused = Exclude<SubmissionResult, { kind: 'step' }>;
type Admitted = {
  kind: 'go';
  payment: Payment;
  session: CheckoutSession;
  buyerEmail: string;
  expiresAt: Date;
};

/**
 * Pays for a session: at most one charge and one order, whatever is clicked twice or in two tabs. A second
 * call while the first is under way asks after the same payment.
 * @throws not_found, conflict (too_many_holds), or what the provider's adapter throws when it gets no answer
 */
export async function pay(
  runtime: Pick<Runtime, 'db' | 'clock' | 'config' | 'payments'>,
  order: PaymentSubmission,
): Promise<SubmissionResult> {
  const admitted = await reserveAndOpenPayment(runtime, order);
  if (admitted.kind !== 'go') return { kind: admitted.kind };
  const { payment, session, buyerEmail, expiresAt } = admitted;
  const step = await providerOf(runtime.payments, payment).begin({
    paymentId: payment.id,
    amount: payment.amount,
    description: session.domain,
    buyerEmail,
    returnUrl: order.returnUrl,
    cancelUrl: order.cancelUrl,
    card: order.card,
    expiresAt,
  });
  await applyPaymentState(runtime, payment.id, step);
  return { kind: 'step', step };
}

/** Everything that must hold before a provider is asked, in one short transaction. */
async function reserveAndOpenPayment(
  runtime: Pick<Runtime, 'db' | 'clock' | 'config' | 'payments'>,
  order: PaymentSubmission,
): Promise<Admitted | Refused> {
  return transactWithSession(runtime.db, order.sessionId, async (tx, session) => {
    const now = runtime.clock.now();
    const known = await findSessionPayment(tx, session.id);
    const live = known && blocksNewPayment(known) ? known : undefined;
    // One that was opened and never answered for is asked for again; the provider charges it once.
    const unanswered = live?.status === 'created' ? live : undefined;
    if ((live && !unanswered) || statusAt(session, now) !== 'open') return { kind: 'over' };

    const expiresAt = addMs(now, runtime.config.checkoutPaymentMs);
    const held = { underWay: unanswered, expiresAt };
    const price = await reserveDomain(tx, runtime.config, session, held, order.shown, now);
    if (typeof price === 'string') return { kind: price };
    const { name: provider, collects } = runtime.payments(session.environment);
    // A provider with a page of its own may have begun with the details that it was told first.
    const keepsDetails = unanswered !== undefined && collects === 'redirect';
    const agreed = keepsDetails ? { ...order.buyer, email: session.buyerEmail ?? '' } : order.buyer;
    await saveBuyerDetails(
      tx,
      session.id,
      {
        price,
        buyerEmail: agreed.email,
        buyerName: agreed.name,
        buyerCountry: agreed.country,
        referralCode: order.referralCode,
      },
      now,
    );
    const { id: sessionId, partnerId, environment } = session;
    const fresh = { partnerId, environment, sessionId, provider, amount: price };
    const payment = unanswered ?? (await openPayment(tx, fresh, now));
    return payment
      ? { kind: 'go', payment, session, buyerEmail: agreed.email, expiresAt }
      : { kind: 'over' };
  });
}
