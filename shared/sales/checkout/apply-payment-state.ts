import { lockListing, markSold } from '../../market/inventory/change-listings.ts';
import { isForSale, isOfEarlierSale } from '../../market/inventory/listing.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Payment } from '../../money/payments/payment.ts';
import {
  attachOrder,
  findPayment,
  recordPaymentState,
  requestPaymentRefund,
} from '../../money/payments/payment-lifecycle.ts';
import type { PaymentState } from '../../money/payments/payment-provider.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { beginningOf, reviewReasons } from '../orders/manual-review.ts';
import type { Order } from '../orders/order.ts';
import { deliveryOfPartner, insertSale, newOrder } from '../orders/record-order.ts';
import {
  consumeCheckoutHold,
  hasCheckoutHold,
  moveCheckoutHoldEnd,
  releaseCheckoutHold,
} from '../quotes/listing-hold.ts';
import { attributeSale } from '../referral/commission-lifecycle.ts';
import { completePaidDeal } from './case-session.ts';
import { checkoutEndedMail } from './checkout.mails.ts';
import { lockSession, moveSession, updateDecline } from './checkout-session.store.ts';
import {
  type CheckoutSession,
  isCaseSession,
  keepsDomain,
  SESSION_MOVES,
} from './checkout-session.ts';

/** The decline code for buyers who are refunded because the domain was sold meanwhile. */
const SOLD_MEANWHILE = 'sold_meanwhile';

/**
 * Records the state of a session's payment that a provider reported, and acts on it. A success creates the order, once;
 * if the domain is gone by then, the payment is refunded. The page, the return from the provider, its webhook and the
 * reconciliation job all call this, in any order and any number of times.
 */
export async function applyPaymentState(
  runtime: { db: Database; clock: Clock; config: Config },
  paymentId: string,
  step: PaymentState,
): Promise<void> {
  // The owner of a payment never changes, so it may be read before the transaction.
  const known = await findPayment(runtime.db.knex, paymentId);
  if (!known || known.sessionId === null) return;
  const { partnerId, sessionId } = known;
  await runtime.db.transactFor(partnerId, async (uow) => {
    const session = await lockSession(uow.sql, sessionId);
    if (!session) return;
    await uow.enterTimeOf(session);
    const payment = await recordPaymentState(uow, paymentId, step);
    if (payment?.status === 'failed') await handleFailedPayment(uow, session, payment);
    if (payment?.status === 'succeeded') {
      const inReview = step.status === 'succeeded' && step.inReview === true;
      await handleSucceededPayment(uow, runtime.config, session, payment, inReview);
    }
  });
}

async function handleFailedPayment(uow: UnitOfWork, session: CheckoutSession, payment: Payment) {
  const keeps = keepsDomain(session) && session.status === 'open';
  if (keeps) await moveCheckoutHoldEnd(uow, session.id, session.priceLockedUntil);
  else await releaseCheckoutHold(uow, session.id, { givenUp: session.status === 'cancelled' });
  const code = payment.declineCode ?? 'processing_error';
  await updateDecline.send(uow.pipeline, { id: session.id, code, now: uow.now });
}

/** Handles a succeeded payment: the buyer gets the domain, or a refund. */
async function handleSucceededPayment(
  uow: UnitOfWork,
  config: Config,
  session: CheckoutSession,
  payment: Payment,
  inReview: boolean,
): Promise<void> {
  const order = await recordPaidSale(uow, config, session, payment, inReview);
  if (order) {
    await attachOrder(uow, payment.id, order.id);
    await moveSession(uow.sql, session.id, 'pay', uow.now, order.id);
    return;
  }
  await requestPaymentRefund(uow, { paymentId: payment.id });
  if (await moveSession(uow.sql, session.id, 'fail', uow.now)) {
    await releaseCheckoutHold(uow, session.id);
    await updateDecline.send(uow.pipeline, { id: session.id, code: SOLD_MEANWHILE, now: uow.now });
  }
  const { id: sessionId, domain, buyerName, buyerEmail: email, buyerCountry: country } = session;
  if (email === null) return;
  const { amount: price } = payment;
  uow.mails.add(checkoutEndedMail, {
    to: { email, country },
    of: session,
    data: {
      sessionId,
      domain,
      price: { amount: price.amount, currency: price.currency },
      buyerName,
      since: uow.now.toISOString(),
      outcome: 'refunded',
    },
  });
}

/** Records the order of a paid session; undefined when the domain is no longer available. */
function recordPaidSale(
  uow: UnitOfWork,
  config: Config,
  session: CheckoutSession,
  payment: Payment,
  inReview: boolean,
): Promise<{ id: string } | undefined> {
  if (!SESSION_MOVES.pay.from.some((from) => from === session.status)) {
    return Promise.resolve(undefined);
  }
  return isCaseSession(session)
    ? completePaidDeal(uow, config, session, payment, inReview)
    : recordCheckoutSale(uow, config, session, payment, inReview);
}

/** Records the order of a listed domain; undefined when the domain is no longer available. */
async function recordCheckoutSale(
  uow: UnitOfWork,
  config: Config,
  session: CheckoutSession,
  payment: Payment,
  inReview: boolean,
): Promise<Order | undefined> {
  // The payment came so late that the buyer's data was already erased, so it is refunded.
  if (session.buyerEmail === null) return undefined;
  const listing = await lockListing(uow, session.environment, session.domain);
  if (!listing || isOfEarlierSale(listing, session)) return undefined;
  const held = await hasCheckoutHold(uow, session.id, listing.id);
  if (!isForSale(listing, { held })) return undefined;
  const holder = { ...session, sessionId: session.id };
  if (!(await consumeCheckoutHold(uow, holder, listing.id))) return undefined;
  await markSold(uow, listing);
  const { partnerId, environment, domain, buyerCountry } = session;
  // The charged amount is the one that the buyer agreed to.
  const price = payment.amount;
  const buyer = { email: session.buyerEmail, name: session.buyerName, country: buyerCountry };
  const facts = { partnerId, environment, price, buyer };
  // Only reasons that arose after the payment began; earlier ones were already reviewed.
  const reasons = await reviewReasons(uow, config, facts, session.clearedReasons);
  const paymentModel = 'hosted_checkout' as const;
  const order = newOrder(
    {
      partnerId,
      environment,
      commissionBps: session.commissionBps,
      listing,
      domain,
      ...beginningOf({ environment, domain, paymentModel }, reasons, inReview),
      paymentModel,
      price,
      buyer,
      returnUrl: session.returnUrl,
      cancelUrl: session.cancelUrl,
      quoteId: session.quoteId,
      checkoutSessionId: session.id,
      delivery: await deliveryOfPartner(uow, session),
    },
    uow.now,
  );
  await insertSale(uow, config, order);
  await attributeSale(uow, { order, click: session.referralCode });
  return order;
}
