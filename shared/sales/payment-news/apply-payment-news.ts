import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { DisputeState } from '../../money/payments/dispute.ts';
import { findPayment } from '../../money/payments/payment-lifecycle.ts';
import type { PaymentState, ReviewOutcome } from '../../money/payments/payment-provider.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { applyPaymentReview } from '../checkout/apply-payment-review.ts';
import { applyPaymentState } from '../checkout/apply-payment-state.ts';
import { applyDispute } from '../disputes/apply-dispute.ts';
import { applyOrderReturn, applyPartialReturn } from '../refunds/returned-payment.ts';
import {
  applyRenewalDispute,
  applyRenewalPayment,
  applyRenewalReturn,
  applyRenewalReview,
} from '../renewals/apply-renewal-payment.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
}

/** The handlers for a provider's reports about a payment: each applies the report to a renewal or a checkout. */
export const PAYMENT_NEWS = {
  async state(deps: Deps, paymentId: string, step: PaymentState): Promise<void> {
    const apply = (await isOfRenewal(deps, paymentId)) ? applyRenewalPayment : applyPaymentState;
    await apply(deps, paymentId, step);
  },
  async review(deps: Deps, paymentId: string, outcome: ReviewOutcome): Promise<void> {
    const apply = (await isOfRenewal(deps, paymentId)) ? applyRenewalReview : applyPaymentReview;
    await apply(deps, paymentId, outcome);
  },
  async dispute(deps: Deps, paymentId: string, state: DisputeState): Promise<void> {
    const apply = (await isOfRenewal(deps, paymentId)) ? applyRenewalDispute : applyDispute;
    await apply(deps, paymentId, state);
  },
  async givenBack(deps: Pick<Deps, 'db'>, paymentId: string): Promise<boolean> {
    if (!(await isOfRenewal(deps, paymentId))) return applyOrderReturn(deps, paymentId);
    await applyRenewalReturn(deps, paymentId);
    return true;
  },
  partialRefund: applyPartialReturn,
};

async function isOfRenewal({ db }: Pick<Deps, 'db'>, paymentId: string): Promise<boolean> {
  const payment = await findPayment(db.knex, paymentId);
  return typeof payment?.renewalId === 'string';
}
