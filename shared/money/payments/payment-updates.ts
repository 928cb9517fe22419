import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { fail } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { DisputeState } from './dispute.ts';
import { applyCardNews } from './kept-cards.ts';
import { claimDueChecks } from './payment.store.ts';
import { expectedOf, type Payment, providerOf } from './payment.ts';
import { findPayment, recordPaymentRefunded, reopenRefund } from './payment-lifecycle.ts';
import type {
  PaymentNotification,
  PaymentProviders,
  PaymentState,
  PayoutReturn,
  RefundResult,
  ReviewOutcome,
} from './payment-provider.ts';

/** Applies a payment step: records it and its consequences in one transaction. Implemented by the calling feature. */
export type ApplyPaymentState = (
  runtime: { db: Database; clock: Clock; config: Config },
  paymentId: string,
  step: PaymentState,
) => Promise<unknown>;

/** Applies each kind of notification. Implemented by the calling features. */
export interface ApplyNotification {
  state: ApplyPaymentState;
  dispute(runtime: { db: Database }, paymentId: string, state: DisputeState): Promise<void>;
  payoutReturn(
    runtime: { db: Database; clock: Clock },
    payoutId: string,
    told: PayoutReturn,
  ): Promise<void>;
  review(
    runtime: { db: Database; config: Config },
    paymentId: string,
    outcome: ReviewOutcome,
  ): Promise<void>;
  /** Records how much of a payment was refunded by hand in total; returns false if that is known or all is refunded. */
  partialRefund(runtime: { db: Database }, paymentId: string, total: Money): Promise<boolean>;
  /** Reverses what a payment bought that was refunded in full by hand at the provider; returns false if staff must. */
  givenBack(runtime: { db: Database }, paymentId: string): Promise<boolean>;
}

type PaymentUpdateDeps = {
  db: Database;
  clock: Clock;
  config: Config;
  payments: PaymentProviders;
  log: Logger;
};

/**
 * Handles a Stripe notification. One that was handled before, arrives late, or is not about one of our payments changes
 * nothing.
 * @throws not_found while Stripe is not configured, validation_error for a bad signature
 */
export async function receiveStripeNotification(
  runtime: PaymentUpdateDeps,
  request: { rawBody: Buffer; headers: Record<string, string | undefined> },
  apply: ApplyNotification,
): Promise<void> {
  if (runtime.config.paymentsLive !== 'stripe') throw fail('not_found');
  const provider = runtime.payments('LIVE');
  let payment: Payment | undefined;
  const find = async (paymentId: string) => {
    payment = await findPayment(runtime.db.knex, paymentId);
    return payment && expectedOf(payment);
  };
  const notification = await provider.readNotification(request.rawBody, request.headers, find);
  if (!notification) return;
  if ('token' in notification) {
    await runtime.db.transact((uow) => applyCardNews(uow, provider.name, notification));
    return;
  }
  if ('payoutId' in notification) {
    await apply.payoutReturn(runtime, notification.payoutId, notification);
    return;
  }
  if (payment?.provider !== provider.name || !isAbout(payment, notification)) return;
  if ('step' in notification) await apply.state(runtime, payment.id, notification.step);
  else if ('dispute' in notification)
    await apply.dispute(runtime, payment.id, notification.dispute);
  else if ('review' in notification) {
    // A notification of the payment itself may still arrive: records its state after the review.
    await ask(runtime, apply.state, payment);
    await apply.review(runtime, payment.id, notification.review);
  } else if ('partialRefund' in notification) {
    await applyPartialRefund(runtime, apply, payment, notification.partialRefund);
  } else await applyRefundNotification(runtime, apply, payment, notification);
}

/** Returns whether a notification's step belongs to the payment's current page; the payment may have another one. */
function isAbout(payment: Payment, notification: PaymentNotification): boolean {
  if (!('step' in notification)) return true;
  const { reference } = notification.step;
  return payment.providerReference === null || payment.providerReference === reference;
}

async function applyRefundNotification(
  { db, log }: PaymentUpdateDeps,
  apply: ApplyNotification,
  payment: Payment,
  { refund, isWhole = false }: { refund: RefundResult; isWhole?: boolean },
) {
  const about = { payment_id: payment.id, order_id: payment.orderId };
  if (refund.status === 'failed') {
    log.error(about, 'a refund failed at the provider: the buyer has no money back');
    const { reference } = refund;
    if (reference !== null) await db.transact((uow) => reopenRefund(uow, payment.id, reference));
    return;
  }
  if (refund.status === 'pending' || payment.status === 'refunded') return;
  const recorded = await db.transact((uow) =>
    recordPaymentRefunded(uow, payment.id, refund.reference),
  );
  if (recorded || (isWhole && (await apply.givenBack({ db }, payment.id)))) return;
  log.warn(about, 'a payment was given back at the provider, its order was not');
}

async function applyPartialRefund(
  { db, log }: PaymentUpdateDeps,
  apply: ApplyNotification,
  { id, orderId, renewalId }: Payment,
  total: Money,
) {
  if (!(await apply.partialRefund({ db }, id, total))) return;
  log.warn(
    {
      payment_id: id,
      order_id: orderId,
      renewal_id: renewalId,
      refunded_cents: total.amount,
      currency: total.currency,
    },
    'a part of a payment was refunded at the provider, which changed no order, renewal or ledger here',
  );
}

/** The number of payments checked per round; the next round continues. */
const BATCH = 50;

/**
 * Checks payments without recent news with the provider and applies the responses. A payment that cannot be checked
 * is retried like the others. Returns how many were checked.
 */
export async function reconcilePayments(
  runtime: PaymentUpdateDeps,
  settle: ApplyPaymentState,
  signal: AbortSignal,
): Promise<{ asked: number; unanswered: number }> {
  const due = await claimDueChecks(runtime.db.knex, runtime.clock.now(), BATCH);
  let [asked, unanswered] = [0, 0];
  for (const payment of due) {
    if (signal.aborted) break;
    asked += 1;
    if (!(await ask(runtime, settle, payment))) unanswered += 1;
  }
  return { asked, unanswered };
}

async function ask(
  runtime: PaymentUpdateDeps,
  settle: ApplyPaymentState,
  payment: Payment,
): Promise<boolean> {
  try {
    const provider = providerOf(runtime.payments, payment);
    const reference = payment.providerReference ?? payment.id;
    const step = await provider.read(reference, expectedOf(payment));
    await settle(runtime, payment.id, step);
    return true;
  } catch (error) {
    runtime.log.warn({ err: error, payment_id: payment.id }, 'payment not reconciled');
    return false;
  }
}
