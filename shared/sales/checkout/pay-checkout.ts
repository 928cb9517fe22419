import { lockListing } from '../../market/inventory/change-listings.ts';
import { isForSale, isOfEarlierSale, isTransferable } from '../../market/inventory/listing.ts';
import { sandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { answerConfirmation, readWaiting } from '../../money/payments/ask-provider.ts';
import { assertCarries, type Payment, providerOf } from '../../money/payments/payment.ts';
import { findSessionPayment, openPayment } from '../../money/payments/payment-lifecycle.ts';
import type {
  Card,
  PaymentProviders,
  PaymentState,
} from '../../money/payments/payment-provider.ts';
import { isActivePartner } from '../../people/partners/partner-lifecycle.ts';
import type { Clock } from '../../platform/clock.ts';
import { addMs, MINUTE } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import { reviewReasons } from '../orders/manual-review.ts';
import {
  HOLD_MARGIN_MS,
  hasCheckoutHold,
  holdForCheckout,
  lockHolds,
} from '../quotes/listing-hold.ts';
import { laterClick } from '../referral/click-cookie.ts';
import { applyPaymentState } from './apply-payment-state.ts';
import { reserveDeal } from './case-session.ts';
import { transactWithSession } from './checkout-lifecycle.ts';
import { beginReview } from './checkout-review.ts';
import { updateBuyer } from './checkout-session.store.ts';
import {
  blocksNewPayment,
  type CheckoutSession,
  isCaseSession,
  priceInForce,
  statusAt,
} from './checkout-session.ts';

/** What the buyer submits to pay. */
export interface PaymentSubmission {
  sessionId: string;
  /** The price that the buyer saw next to the button. */
  shown: Money;
  buyer: { email: string; name: string; country: string };
  /** Kept in memory for this call only; null if the provider collects the card itself. */
  card: Card | null;
  referralCode: string | null;
  /** Where a provider's own page sends the buyer afterwards. */
  returnUrl: string;
  cancelUrl: string;
}

/**
 * The result of a submission. Only `step` called the provider. `over` (the session takes no more payments, or has one),
 * `in_review` (staff must decide first), `repriced`, `sold` and `reserved` charged nothing.
 */
export type SubmissionResult =
  | { kind: 'step'; step: PaymentState }
  | { kind: 'over' | 'in_review' | 'repriced' | 'sold' | 'reserved' };

type Refused = Exclude<SubmissionResult, { kind: 'step' }>;
type Admitted = {
  kind: 'go';
  payment: Payment;
  session: CheckoutSession;
  buyerEmail: string;
  endsAt: Date;
};

/** How long a started payment may take: a bank's confirmation takes minutes. The domain is held meanwhile. */
const PAYMENT_MS = 30 * MINUTE;

/**
 * Pays for a session. Makes at most one charge and one order, even after a double click or in two tabs. A second call
 * before the provider has answered the first one sends the same payment again.
 * @throws not_found, conflict (too_many_holds, price_not_payable), or whatever the provider's adapter throws when it
 *   gets no answer
 */
export async function pay(
  runtime: { db: Database; clock: Clock; config: Config; payments: PaymentProviders },
  order: PaymentSubmission,
): Promise<SubmissionResult> {
  const admitted = await reserveAndOpenPayment(runtime, order);
  if (admitted.kind !== 'go') return { kind: admitted.kind };
  const { payment, session, buyerEmail, endsAt: expiresAt } = admitted;
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

/** Makes all checks before the call to the provider, in one short transaction. */
async function reserveAndOpenPayment(
  runtime: { db: Database; clock: Clock; config: Config; payments: PaymentProviders },
  order: PaymentSubmission,
): Promise<Admitted | Refused> {
  return transactWithSession(runtime.db, order.sessionId, async (uow, session) => {
    const { now } = uow;
    const known = await findSessionPayment(uow.sql, session.id);
    const live = known && blocksNewPayment(known) ? known : undefined;
    // A payment that was opened but not answered is sent again. The provider charges it once.
    const unanswered = live?.status === 'created' ? live : undefined;
    if ((live && !unanswered) || statusAt(session, now) !== 'open') return { kind: 'over' };
    if (session.reviewSince !== null) return { kind: 'in_review' };

    const expiresAt = addMs(now, PAYMENT_MS);
    const held = { underWay: unanswered, expiresAt };
    const price = await reserveDomain(uow, runtime.config, session, held, order.shown);
    if (typeof price === 'string') return { kind: price };
    const current = runtime.payments(session.environment);
    assertCarries(current, price);
    const { name: provider, collects } = current;
    const agreed = unanswered ? keepDetails(session, order.buyer, collects) : order.buyer;
    const cleared = clearedFor(session, agreed, price);
    await updateBuyer.send(uow.pipeline, {
      id: session.id,
      priceCents: price.amount,
      currency: price.currency,
      buyerEmail: agreed.email,
      buyerName: agreed.name,
      buyerCountry: agreed.country,
      referralCode: laterClick(session.referralCode, order.referralCode),
      clearedReasons: cleared,
      now,
    });
    const { id: sessionId, partnerId, environment } = session;
    if (!unanswered) {
      const facts = { partnerId, environment, price, buyer: agreed };
      const reasons = await reviewReasons(uow, runtime.config, facts, cleared);
      if (reasons.length > 0) {
        await beginReview(uow, runtime.config, session, agreed, reasons);
        return { kind: 'in_review' };
      }
    }
    const fresh = { partnerId, environment, sessionId, provider, amount: price };
    const payment = unanswered ?? (await openPayment(uow, fresh));
    // Providers only know real time.
    const endsAt = addMs(expiresAt, -uow.aheadMs);
    return payment
      ? { kind: 'go', payment, session, buyerEmail: agreed.email, endsAt }
      : { kind: 'over' };
  });
}

/**
 * Returns the buyer's details for a payment that was begun but not answered. Keeps the country, which was reviewed at
 * the time, and the address if it was reviewed or the provider's own page may already use it.
 */
function keepDetails(
  { buyerEmail, buyerCountry, clearedReasons }: CheckoutSession,
  buyer: PaymentSubmission['buyer'],
  collects: 'card_form' | 'redirect',
): PaymentSubmission['buyer'] {
  const keepsEmail = collects === 'redirect' || clearedReasons.length > 0;
  return {
    ...buyer,
    email: keepsEmail ? (buyerEmail ?? '') : buyer.email,
    country: buyerCountry ?? buyer.country,
  };
}

/** The approved review reasons, if they were approved for this buyer and price. */
function clearedFor(
  { buyerEmail, buyerCountry, price: reviewed, clearedReasons }: CheckoutSession,
  { email, country }: PaymentSubmission['buyer'],
  price: Money,
): string[] {
  const same = email === buyerEmail && country === buyerCountry && price.equals(reviewed);
  return same ? clearedReasons : [];
}

/**
 * Sends the buyer's answer to a payment that requires confirmation. If the domain went to somebody else meanwhile, it
 * counts as declined and nothing is charged. Does nothing if the payment was already answered.
 * @throws not_found, conflict (too_many_holds), or whatever the provider's adapter throws when it gets no answer
 */
export async function confirmPayment(
  runtime: { db: Database; clock: Clock; config: Config; payments: PaymentProviders },
  sessionId: string,
  approved: boolean,
): Promise<void> {
  const found = await transactWithSession(runtime.db, sessionId, async (uow, session) => {
    const { now } = uow;
    const payment = await findSessionPayment(uow.sql, sessionId);
    if (payment?.status !== 'requires_confirmation') return undefined;
    const expiresAt = addMs(now, PAYMENT_MS);
    const held = { underWay: payment, expiresAt };
    const mayHave =
      approved &&
      typeof (await reserveDomain(uow, runtime.config, session, held, payment.amount)) !== 'string';
    return { payment, mayHave };
  });
  if (!found) return;
  const step = await answerConfirmation(runtime.payments, found.payment, found.mayHave);
  if (step) await applyPaymentState(runtime, found.payment.id, step);
}

/**
 * Asks the provider for the state of the session's payment, for a buyer who returns from the provider's page or waits.
 * Returns undefined if there is nothing to ask.
 * @throws whatever the provider's adapter throws when it gets no answer
 */
export async function refreshPayment(
  runtime: { db: Database; clock: Clock; config: Config; payments: PaymentProviders },
  sessionId: string,
): Promise<PaymentState | undefined> {
  const payment = await findSessionPayment(runtime.db.knex, sessionId);
  const step = await readWaiting(runtime.payments, payment);
  if (payment && step) await applyPaymentState(runtime, payment.id, step);
  return step;
}

/**
 * Holds the domain for the buyer until shortly after `expiresAt` and returns its current price, or holds nothing and
 * returns why not. A payment in progress keeps its own price.
 * @throws conflict (too_many_holds) when the partner's quotes and buyers hold as many domains as allowed
 */
async function reserveDomain(
  uow: UnitOfWork,
  config: Pick<Config, 'maxOpenHolds'>,
  session: CheckoutSession,
  payment: { underWay: Payment | undefined; expiresAt: Date },
  shown: Money,
): Promise<Money | 'sold' | 'reserved' | 'repriced'> {
  const expiresAt = addMs(payment.expiresAt, HOLD_MARGIN_MS);
  if (isCaseSession(session)) return reserveDeal(uow, config, session, shown, expiresAt);
  await lockHolds(uow, session.partnerId);
  const listing = await lockListing(uow, session.environment, session.domain);
  if (!listing || sandboxOutcome(session.environment, session.domain) === 'sold') return 'sold';
  if (isOfEarlierSale(listing, session)) return 'sold';
  const held = await hasCheckoutHold(uow, session.id, listing.id);
  if (!isForSale(listing, { held })) return 'sold';
  // A payment in progress continues; the domain is delivered when the transfer lock ends.
  if (!payment.underWay && !isTransferable(listing, uow.realNow)) return 'reserved';
  // Checkout pages of a suspended partner take no payments.
  if (!(await isActivePartner(uow.sql, session.partnerId))) return 'sold';
  const price = priceInForce(session, listing, payment.underWay, uow.now);
  if (!shown.equals(price)) return 'repriced';
  const { id: sessionId, partnerId, environment } = session;
  const hold = { sessionId, partnerId, environment, listingId: listing.id, price, expiresAt };
  return (await holdForCheckout(uow, config, hold)) ? price : 'reserved';
}
