import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { answerConfirmation, readWaiting } from '../../money/payments/ask-provider.ts';
import { findCardAt } from '../../money/payments/kept-cards.ts';
import { assertCarries, type Payment, providerOf } from '../../money/payments/payment.ts';
import { findRenewalPayment, openPayment } from '../../money/payments/payment-lifecycle.ts';
import type {
  Card,
  PaymentProviders,
  PaymentState,
} from '../../money/payments/payment-provider.ts';
import { addMs, MINUTE } from '../../platform/clock.ts';
import { fail } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';
import { applyRenewalPayment } from './apply-renewal-payment.ts';
import { type QuoteDeps, quoteRenewal } from './quote-renewal.ts';
import { lockRenewal, moveRenewal, readRenewal, updatePayer, writePrice } from './renewal.store.ts';
import { notRenewable, PRICE_MS, type RegistryFees, type Renewal, statusAt } from './renewal.ts';

/** What an owner submits to pay. */
export interface RenewalSubmission {
  renewalId: string;
  /** The price that the owner saw next to the button. */
  shown: Money;
  payer: { email: string; name: string; country: string };
  /** Kept in memory for this call only; null if the provider collects the card itself. */
  card: Card | null;
  /** Whether the card may be charged again, for automatic renewals. */
  keepsCard: boolean;
  returnUrl: string;
  cancelUrl: string;
}

/** The result of a submission. `step` called the provider; `over` (paid or ended) and `repriced` charged nothing. */
export type RenewalSubmissionResult =
  | { kind: 'step'; step: PaymentState }
  | { kind: 'over' | 'repriced' };

export type PayDeps = QuoteDeps & { payments: PaymentProviders };

/** How long a started payment may take: a bank's confirmation takes minutes. */
const PAYMENT_MS = 30 * MINUTE;

/**
 * Pays for a renewal. Makes at most one charge, even after a double click or in two tabs. Asks the registry for its
 * price again first. A second call before the provider has answered the first one sends the same payment again.
 * @throws not_found, conflict (legal_hold, price_not_payable, invalid_state when this renewal is no longer possible),
 *   or whatever the provider's adapter throws when it gets no answer
 */
export async function payRenewal(
  deps: PayDeps,
  userId: string,
  submission: RenewalSubmission,
): Promise<RenewalSubmissionResult> {
  const before = await findOwnRenewal(deps, userId, submission.renewalId);
  if (statusAt(before, deps.clock.now()) !== 'awaiting_payment') return { kind: 'over' };
  if (!(await findRenewalPayment(deps.db.knex, before.id))) await checkOffer(deps, before);
  const admitted = await deps.db.transactFor(userId, (uow) => admit(uow, deps, submission));
  if (typeof admitted === 'string') return { kind: admitted };
  const { payment, renewal, keepsCard } = admitted;
  const known = keepsCard && (await findCardAt(deps.db.knex, userId, payment.provider));
  const step = await providerOf(deps.payments, payment).begin({
    paymentId: payment.id,
    amount: payment.amount,
    description: renewal.domain,
    buyerEmail: submission.payer.email,
    returnUrl: submission.returnUrl,
    cancelUrl: submission.cancelUrl,
    card: submission.card,
    keepsCard,
    customer: known ? known.customer : null,
    expiresAt: addMs(payment.createdAt, PAYMENT_MS),
  });
  await applyRenewalPayment(deps, payment.id, step);
  return { kind: 'step', step };
}

/** Returns a user's renewal. @throws not_found, also for another user's renewal */
export async function findOwnRenewal(
  { db }: Pick<QuoteDeps, 'db'>,
  userId: string,
  id: string,
): Promise<Renewal> {
  const renewal = await readRenewal(db.knex, id);
  if (renewal?.userId === userId) return renewal;
  throw fail('not_found', { message: 'This payment is not in your account.' });
}

/**
 * Updates the price if the registry's fees changed since the owner saw it. Our own price stays until it expires.
 * @throws whatever {@link quoteRenewal} throws, conflict (invalid_state) when the domain was renewed meanwhile
 */
async function checkOffer(deps: PayDeps, { id, userId, renewsFrom, fees, ...renewal }: Renewal) {
  const quote = await quoteRenewal(deps, userId, renewal);
  if (quote.renewsFrom.getTime() !== renewsFrom.getTime()) {
    await deps.db.transact((uow) => moveRenewal(uow.sql, id, 'cancel', uow.now));
    throw notRenewable(`${renewal.domain} has been renewed in the meantime. You were not charged.`);
  }
  if (sameFees(fees, quote.fees)) return;
  await deps.db.transact((uow) =>
    writePrice(uow.sql, id, quote, { now: uow.now, expiresAt: addMs(uow.now, PRICE_MS) }),
  );
}

function sameFees(one: RegistryFees, other: RegistryFees): boolean {
  const same = (a: Money | null, b: Money | null) => (a && b ? a.equals(b) : a === b);
  return same(one.renew, other.renew) && same(one.restore, other.restore);
}

/** Makes all checks before the call to the provider, in one short transaction. */
async function admit(
  uow: UnitOfWork,
  { payments }: PayDeps,
  { renewalId, shown, payer, keepsCard }: RenewalSubmission,
): Promise<{ payment: Payment; renewal: Renewal; keepsCard: boolean } | 'over' | 'repriced'> {
  const renewal = await lockRenewal(uow.sql, renewalId);
  if (renewal?.status !== 'awaiting_payment') return 'over';
  const known = await findRenewalPayment(uow.sql, renewalId);
  if (known) {
    // A payment that was opened but not answered is sent again. The provider charges it once. For a saved card, the
    // reconciliation job finds out whether it was charged.
    const isSentAgain = known.status === 'created' && renewal.automaticDays === null;
    return isSentAgain ? { payment: known, renewal, keepsCard: renewal.keepsCard } : 'over';
  }
  if (statusAt(renewal, uow.now) !== 'awaiting_payment') return 'over';
  const { price } = renewal;
  if (!shown.equals(price)) return 'repriced';
  const provider = payments(OWNERS_ENVIRONMENT);
  assertCarries(provider, price);
  const { name, country } = payer;
  await updatePayer.run(uow.sql, { id: renewalId, name, country, keepsCard, now: uow.now });
  const payment = await openPayment(uow, {
    renewalId,
    environment: OWNERS_ENVIRONMENT,
    provider: provider.name,
    amount: price,
  });
  return payment ? { payment, renewal, keepsCard } : 'over';
}

/**
 * Sends the owner's answer to a payment that requires confirmation. Does nothing if it was already answered.
 * @throws whatever the provider's adapter throws when it gets no answer
 */
export async function confirmRenewalPayment(
  deps: PayDeps,
  renewalId: string,
  approved: boolean,
): Promise<void> {
  const payment = await findRenewalPayment(deps.db.knex, renewalId);
  const step = payment && (await answerConfirmation(deps.payments, payment, approved));
  if (step) await applyRenewalPayment(deps, payment.id, step);
}

/**
 * Asks the provider for the state of a renewal's payment, for an owner who returns from the provider's page or waits.
 * @throws whatever the provider's adapter throws when it gets no answer
 */
export async function refreshRenewalPayment(
  deps: PayDeps,
  renewalId: string,
): Promise<PaymentState | undefined> {
  const payment = await findRenewalPayment(deps.db.knex, renewalId);
  const step = await readWaiting(deps.payments, payment);
  if (payment && step) await applyRenewalPayment(deps, payment.id, step);
  return step;
}

/**
 * Cancels an unpaid renewal. Returns false if it has ended or is paid. Declines a payment that waits for confirmation.
 * Money that arrives anyway is refunded.
 */
export async function cancelRenewal(deps: PayDeps, renewalId: string): Promise<boolean> {
  const cancelled = await deps.db.transact((uow) =>
    moveRenewal(uow.sql, renewalId, 'cancel', uow.now),
  );
  if (cancelled) await confirmRenewalPayment(deps, renewalId, false);
  return cancelled;
}
