import { expect } from '@jest/globals';
import { delistListing, repriceListing } from '../../../shared/market/inventory/change-listings.ts';
import { addListings } from '../../../shared/market/inventory/import-listings.ts';
import type { DisputeStatus } from '../../../shared/money/payments/dispute.ts';
import type { Caller } from '../../../shared/people/partners/credential.ts';
import {
  resumePartner,
  suspendPartner,
} from '../../../shared/people/partners/partner-lifecycle.ts';
import { addMs } from '../../../shared/platform/clock.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import { Money, shareOf } from '../../../shared/platform/money.ts';
import { moveCase } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { createSession } from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import { confirmPayment } from '../../../shared/sales/checkout/pay-checkout.ts';
import { applyDispute } from '../../../shared/sales/disputes/apply-dispute.ts';
import { approveOrder } from '../../../shared/sales/orders/manual-review.ts';
import type { PaymentModel } from '../../../shared/sales/orders/order.ts';
import {
  approveRefund,
  declineRefund,
  recordCancelPushResult,
} from '../../../shared/sales/refunds/pending-refund.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/deliver-domain.ts';
import { beginPush, recordPushState } from '../../../shared/sales/transfers/registrar-push.ts';
import { startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import {
  markPayoutFailed,
  markPayoutPaid,
  reversePayout,
} from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import {
  markSettlementPaid,
  reverseSettlementPayment,
} from '../../../shared/settlement/statements/statement-payment.ts';
import { givenAgreedCase } from '../../support/brokerage.ts';
import { givenCredential, givenListing, givenPartner } from '../../support/factories.ts';
import { CARDS, card, ordersOf, payFor } from '../../support/payments.ts';
import type { TestRuntime } from '../../support/runtime.ts';
import { givenQuote, nameRegistrant, recordSale } from '../../support/sales.ts';
import { takeBack } from '../../support/take-back.ts';

/** A partner in one environment, with its own statements and payouts. */
export interface Book {
  partnerId: string;
  environment: Environment;
  commissionBps: number;
}

/** What a bookkeeper would note about an order; never read back from the database. */
export interface Noted {
  id: string;
  book: Book;
  model: PaymentModel;
  currency: string;
  priceCents: number;
  commissionCents: number;
  createdAt: Date;
  /** The owner delisted the domain after a price was promised, so a refund leaves it delisted. */
  offMarket: boolean;
  stage: 'held' | 'paid' | 'transferring' | 'delivered';
  takenBack: null | { kind: 'refund' | 'clawback'; cancelled: boolean; at: Date };
  /** A refund is waiting for staff; nothing else can happen to the order. */
  undecided: boolean;
  /** Whether the buyer disputes the payment or did so before. */
  dispute: 'none' | 'open' | 'over';
  /** The registrar has moved the domain. */
  hasLeft: boolean;
  /** The decision of staff about a refund whose push could not be stopped. */
  decision: null | RefundDecision;
}

export type RegistrarAnswer = 'cancelled' | 'too_late' | 'unanswered';
export type RefundDecision = 'approve' | 'decline';

/** A marketplace in use, with independent notes of everything that happened. */
export interface Marketplace {
  books: Book[];
  orders: Noted[];
  /** How much has left the bank according to the notes, by book and currency. */
  paidOut: Map<string, number>;
  /** Suspended partners. */
  suspended: Set<string>;
}

const PERIODS = ['monthly', 'semi_monthly', 'weekly'] as const;
const RATES = [1_500, 733, 10_000] as const;

export async function foundMarketplace(runtime: TestRuntime): Promise<Marketplace> {
  const books: Book[] = [];
  for (const [at, settlementPeriod] of PERIODS.entries()) {
    const commissionBps = RATES[at] ?? 0;
    const { partnerId } = await givenPartner(runtime, { settlementPeriod, commissionBps });
    await givenCredential(runtime, partnerId, { environment: 'LIVE' });
    for (const environment of ['SANDBOX', 'LIVE'] as const) {
      books.push({ partnerId, environment, commissionBps });
    }
  }
  return { books, orders: [], paidOut: new Map(), suspended: new Set() };
}

/** A planned sale, and what the owner does to the listing between the price promise and the sale. */
export interface Trade {
  book: Book;
  model: PaymentModel;
  currency: string;
  priceCents: number;
  held: boolean;
  quoted: boolean;
  meanwhile: 'nothing' | 'reprice' | 'import' | 'delist';
  /** The listing's price after an import or a price change. */
  later: { currency: string; priceCents: number };
}

/**
 * Sells as buyers and partners do: by `POST /orders` with a quote or without, by checkout, by a deal. A suspended
 * partner sells nothing.
 */
export async function sell(runtime: TestRuntime, market: Marketplace, trade: Trade): Promise<void> {
  if (market.suspended.has(trade.book.partnerId)) return;
  const now = runtime.clock.now();
  const { orderId, price } = await SELL[trade.model](runtime, trade);
  market.orders.push({
    id: orderId,
    book: trade.book,
    model: trade.model,
    ...price,
    commissionCents: shareOf(price.priceCents, trade.book.commissionBps),
    createdAt: now,
    offMarket: trade.meanwhile === 'delist' && hasPromise(trade),
    stage: trade.held && trade.model === 'merchant_of_record' ? 'held' : 'paid',
    takenBack: null,
    undecided: false,
    dispute: 'none',
    hasLeft: false,
    decision: null,
  });
}

/** An order and its expected price: the promised one, or else the listing's. */
interface Sold {
  orderId: string;
  price: { currency: string; priceCents: number };
}

/** Orders of buyers from this country are held for review. */
export const REVIEW_COUNTRY = 'KP';

const SELL: Record<PaymentModel, (runtime: TestRuntime, trade: Trade) => Promise<Sold>> = {
  async merchant_of_record(runtime, trade) {
    const { book, quoted } = trade;
    const { domain } = await listingFor(runtime, trade);
    const quote = quoted ? await givenQuote(runtime, book, domain) : null;
    const changed = await meanwhile(runtime, domain, trade);
    const price = quoted ? promised(trade) : changed;
    const { id } = await recordSale(runtime, book, {
      domain,
      quote: quote?.sent ?? null,
      currency: price.currency,
      expectedPriceCents: price.priceCents,
      buyer: {
        email: 'buyer@example.com',
        name: null,
        country: trade.held ? REVIEW_COUNTRY : null,
      },
    });
    return { orderId: id, price };
  },

  async hosted_checkout(runtime, trade) {
    const { domain } = await listingFor(runtime, trade);
    const caller = { ...trade.book, keyId: 'test' } as Caller;
    const nowhere = {
      returnUrl: null,
      cancelUrl: null,
      buyerEmail: null,
      clientReference: null,
      quote: null,
    };
    const { session } = await createSession(runtime, caller, { domain, ...nowhere });
    // A domain delisted before payment can't be bought; one delisted during payment can.
    const whilePaying = trade.meanwhile === 'delist';
    if (!whilePaying) await meanwhile(runtime, domain, trade);
    await payFor(runtime, session, card(whilePaying ? CARDS.confirms : CARDS.succeeds));
    if (whilePaying) {
      await meanwhile(runtime, domain, trade);
      await confirmPayment(runtime, session.id, true);
    }
    const [order] = await ordersOf(runtime, session);
    return { orderId: order?.id ?? 'no order', price: promised(trade) };
  },

  async brokerage(runtime, trade) {
    const { id } = await givenAgreedCase(runtime, trade.book, trade.currency);
    const deal = {
      caseId: id,
      to: 'COMPLETED',
      by: 'ops',
      dealPriceCents: trade.priceCents,
    } as const;
    const { orderId } = await runtime.db.transact((uow) => moveCase(uow, runtime, deal));
    return { orderId: orderId ?? 'no order', price: promised(trade) };
  },
};

function promised({ currency, priceCents }: Trade) {
  return { currency, priceCents };
}

function listingFor(runtime: TestRuntime, { book, currency, priceCents }: Trade) {
  return givenListing(runtime, { environment: book.environment, currency, priceCents });
}

function hasPromise({ quoted, model }: Trade): boolean {
  return quoted || model === 'hosted_checkout';
}

/** Does what the owner does and returns the new listing price. Never delists without a promise. */
async function meanwhile(runtime: TestRuntime, domain: string, trade: Trade) {
  const { environment } = trade.book;
  switch (trade.meanwhile) {
    case 'import':
      await addListings(runtime, { environment, listings: [{ domain, ...trade.later }] });
      return trade.later;
    case 'reprice':
      await repriceListing(runtime, { environment, domain, priceCents: trade.later.priceCents });
      return { currency: trade.currency, priceCents: trade.later.priceCents };
    case 'delist':
      if (hasPromise(trade)) await delistListing(runtime, { environment, domain });
  }
  return promised(trade);
}

/** Moves an order one step forward if possible. */
export async function moveOn(runtime: TestRuntime, order: Noted): Promise<void> {
  if (order.takenBack || order.undecided) return;
  const { db } = runtime;
  if (order.stage === 'held') {
    await db.transact((uow) => approveOrder(uow, runtime, order.id));
    order.stage = 'paid';
  } else if (order.stage === 'paid') {
    await nameRegistrant(runtime, order.id);
    await db.transact((uow) => startTransfer(uow, order.id));
    order.stage = 'transferring';
  } else if (order.stage === 'transferring') {
    await db.transact((uow) => confirmDelivery(uow, order.id));
    order.stage = 'delivered';
    order.hasLeft = true;
  }
}

/**
 * A refund while the registrar has the push. The registrar answers to the cancellation as given, while it is
 * polled and asked for a second refund; a refund that can't be done then waits for `decide`.
 */
export async function refundInMidPush(
  runtime: TestRuntime,
  order: Noted,
  answer: RegistrarAnswer,
): Promise<void> {
  if (order.takenBack || order.undecided || order.stage !== 'transferring') return;
  const push = { orderId: order.id, attempt: 1 };
  const { transact } = runtime.db;
  await beginPush(runtime, push);
  expect(await takeBack(runtime, order.id)).toBe(false);
  await Promise.allSettled([
    takeBack(runtime, order.id),
    transact((uow) => recordPushState(uow, runtime, push, { status: 'completed' })),
    transact((uow) => recordCancelPushResult(uow, order.id, answer)),
    transact((uow) => recordCancelPushResult(uow, order.id, answer)),
  ]);
  if (answer === 'too_late') order.hasLeft = true;
  if (answer === 'cancelled') {
    order.takenBack = { kind: 'refund', cancelled: false, at: runtime.clock.now() };
  } else {
    order.undecided = true;
  }
}

/** Staff decide on a waiting refund twice at the same time; one decision is refused. */
export async function decide(
  runtime: TestRuntime,
  order: Noted,
  decision: RefundDecision,
): Promise<void> {
  if (!order.undecided) return;
  const decideIt = decision === 'approve' ? approveRefund : declineRefund;
  const once = () => runtime.db.transact((uow) => decideIt(uow, order.id));
  const both = await Promise.allSettled([once(), once()]);
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  order.undecided = false;
  order.decision = decision;
  if (decision === 'approve') {
    order.takenBack = { kind: 'refund', cancelled: false, at: runtime.clock.now() };
  } else if (order.hasLeft) {
    order.stage = 'delivered';
  }
}

/** Refunds, cancels, or claws back an order, depending on its stage; only once. */
export async function giveBack(
  runtime: TestRuntime,
  order: Noted,
  cancelled: boolean,
): Promise<void> {
  if (order.takenBack || order.undecided) return;
  const cancels = cancelled && (order.stage === 'paid' || order.stage === 'held');
  const isDone = await takeBack(runtime, order.id, cancels ? 'cancel' : 'by_state');
  if (!isDone) {
    await runtime.db.transact((uow) => recordCancelPushResult(uow, order.id, 'cancelled'));
  }
  order.takenBack = {
    kind: order.stage === 'delivered' ? 'clawback' : 'refund',
    cancelled: cancels,
    at: runtime.clock.now(),
  };
}

/** How a dispute continues: it stays open or ends. Each is reported twice, in any order. */
export type DisputeEnd = 'open' | 'won' | 'lost' | 'withdrawn';

/** The buyer of a checkout order disputes the payment; an earlier dispute may end now. */
export async function dispute(runtime: TestRuntime, order: Noted, end: DisputeEnd): Promise<void> {
  if (order.model !== 'hosted_checkout' || order.undecided || order.dispute === 'over') return;
  const payment = await runtime.db.knex('payments').where({ order_id: order.id }).first('id');
  const state = {
    reference: `du_${order.id}`,
    reason: 'fraudulent',
    amount: new Money(order.priceCents, order.currency),
    evidenceDueAt: null,
  };
  const say = (status: DisputeStatus) => applyDispute(runtime, payment.id, { ...state, status });
  await say('needs_response');
  order.dispute = 'open';
  if (end === 'open') return;
  await Promise.all([say(end), say(end), say('under_review')]);
  order.dispute = 'over';
  if (end !== 'lost' || order.takenBack) return;
  order.takenBack = {
    kind: order.stage === 'delivered' ? 'clawback' : 'refund',
    cancelled: false,
    at: runtime.clock.now(),
  };
}

/** Closes what was due for a book some time ago, `atOnce` times concurrently. */
export async function settle(
  runtime: TestRuntime,
  book: Book,
  options: { agoMs: number; atOnce: number },
): Promise<void> {
  const until = addMs(runtime.clock.now(), -options.agoMs);
  await Promise.all(
    Array.from({ length: options.atOnce }, () => closePartnerPeriods(runtime, { ...book, until })),
  );
}

/** Pays the pick-th closed statement, or reverses its payment if it is paid. */
export async function payStatement(
  runtime: TestRuntime,
  market: Marketplace,
  pick: number,
  fate: 'paid' | 'returned',
): Promise<void> {
  const { rows } = await runtime.db.knex.raw(
    `select id, payment_reversals as returned from settlements
     where status = ? and partner_id = any(?) order by id`,
    [fate === 'paid' ? 'closed' : 'paid', partnersOf(market)],
  );
  const chosen = rows[pick % Math.max(1, rows.length)];
  if (!chosen) return;
  const input = { settlementId: chosen.id, reference: `wire-${chosen.id}-${chosen.returned}` };
  if (fate === 'paid') await markSettlementPaid(runtime, 'test', input).catch(unlessHeld);
  else await reverseSettlementPayment(runtime, 'test', { ...input, reason: null });
}

/** Finishes the pick-th pending payout, or reverses it if it is paid. */
export async function endPayout(
  runtime: TestRuntime,
  market: Marketplace,
  pick: number,
  fate: 'paid' | 'failed' | 'returned',
): Promise<void> {
  const { rows } = await runtime.db.knex.raw(
    `select id, amount_cents, currency, partner_id, environment from payouts
     where status = ? and partner_id = any(?) order by id`,
    [fate === 'returned' ? 'paid' : 'pending', partnersOf(market)],
  );
  const chosen = rows[pick % Math.max(1, rows.length)];
  if (!chosen) return;
  const input = { payoutId: chosen.id, reference: `wire-${chosen.id}`, reason: null };
  if (fate === 'failed') {
    await markPayoutFailed(runtime, 'test', input);
    return;
  }
  if (fate === 'paid') {
    const reason = await heldFor(runtime, market, chosen);
    const paid = markPayoutPaid(runtime, 'test', input);
    if (reason !== null) {
      await expect(paid).rejects.toMatchObject({ details: { reason } });
      return;
    }
    await paid;
  }
  if (fate === 'returned') await reversePayout(runtime, 'test', input);
  const key = accountKey(chosen.partner_id, chosen.environment, chosen.currency);
  const moved = fate === 'paid' ? chosen.amount_cents : -chosen.amount_cents;
  market.paidOut.set(key, (market.paidOut.get(key) ?? 0) + moved);
}

/** Only payments to suspended partners may be refused. */
function unlessHeld(error: { details?: { reason?: string } }): undefined {
  if (error.details?.reason !== 'partner_suspended') throw error;
}

/** Only payouts to partners who are suspended or have a disputed sale may be refused. */
async function heldFor(
  runtime: TestRuntime,
  market: Marketplace,
  payout: { id: string; partner_id: string },
): Promise<'partner_suspended' | 'payout_disputed' | null> {
  if (market.suspended.has(payout.partner_id)) return 'partner_suspended';
  const { rows } = await runtime.db.knex.raw(
    `select l.order_id from settlement_payables y join settlement_lines l
       on l.settlement_id = y.settlement_id and l.payment_model = y.source
     where y.payout_id = ?`,
    [payout.id],
  );
  const paidFor = new Set(rows.map((row: { order_id: string }) => row.order_id));
  const disputed = market.orders.some(({ id, dispute }) => dispute === 'open' && paidFor.has(id));
  return disputed ? 'payout_disputed' : null;
}

/** Suspends or resumes a partner. */
export async function setStanding(
  runtime: TestRuntime,
  market: Marketplace,
  { partnerId }: Book,
  standing: 'suspended' | 'active',
): Promise<void> {
  if (standing === 'suspended') market.suspended.add(partnerId);
  else market.suspended.delete(partnerId);
  const change = standing === 'suspended' ? suspendPartner : resumePartner;
  await change(runtime, 'test', partnerId);
}

export function accountKey(partnerId: string, environment: string, currency: string): string {
  return `${partnerId}/${environment}/${currency}`;
}

export function partnersOf(market: Marketplace): string[] {
  return [...new Set(market.books.map((book) => book.partnerId))];
}
