import { clearOrder } from '../../../shared/orders/clear-order.ts';
import { insertSale, newOrder } from '../../../shared/orders/insert-sale.ts';
import type { PaymentModel } from '../../../shared/orders/order.ts';
import { markPayoutFailed, markPayoutPaid } from '../../../shared/payouts/end-payout.ts';
import { later } from '../../../shared/platform/clock.ts';
import type { Environment } from '../../../shared/platform/config.ts';
import { shareOf } from '../../../shared/platform/money.ts';
import { closeForPartner } from '../../../shared/settlements/close-period.ts';
import { markSettlementPaid } from '../../../shared/settlements/mark-settlement-paid.ts';
import { confirmDelivery } from '../../../shared/transfers/confirm-delivery.ts';
import { startTransfer } from '../../../shared/transfers/start-transfer.ts';
import { givenCredential, givenListing, givenPartner, unique } from '../../support/factories.ts';
import type { TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

/** A partner in an environment: what has statements and payouts of its own. */
export interface Book {
  partnerId: string;
  environment: Environment;
  commissionBps: number;
}

/** What a person with pen and paper would note of an order; never read back from the database. */
export interface Noted {
  id: string;
  book: Book;
  model: PaymentModel;
  currency: string;
  priceCents: number;
  commissionCents: number;
  createdAt: Date;
  stage: 'held' | 'paid' | 'transferring' | 'delivered';
  takenBack: null | { kind: 'refund' | 'clawback'; cancelled: boolean; at: Date };
}

/** A marketplace that is lived in, and the notes of somebody who watched. */
export interface Marketplace {
  books: Book[];
  orders: Noted[];
  /** What the notes say has left the bank, by book and currency. */
  paidOut: Map<string, number>;
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
  return { books, orders: [], paidOut: new Map() };
}

/** Records a sale of any kind, the way checkout, brokerage and `POST /orders` do. */
export async function sell(
  runtime: TestRuntime,
  market: Marketplace,
  sale: {
    book: Book;
    model: PaymentModel;
    currency: string;
    priceCents: number;
    held: boolean;
  },
): Promise<void> {
  const { book, model, currency, priceCents } = sale;
  const now = runtime.clock.now();
  const brokered = model === 'brokerage';
  const held = sale.held && model === 'merchant_of_record';
  const listing = brokered
    ? { id: null, domain: `brokered${unique()}.com` }
    : await givenListing(runtime, {
        environment: book.environment,
        priceCents,
        currency,
        status: 'sold',
      });
  const collected = model === 'merchant_of_record' ? 'EXTERNALLY_PAID' : 'PAID';
  const order = newOrder(
    {
      ...book,
      listingId: listing.id,
      domain: listing.domain,
      status: held ? 'MANUAL_REVIEW' : collected,
      paymentModel: model,
      salePriceCents: priceCents,
      currency,
      buyer: { email: 'buyer@example.com', name: null, country: null },
      brokerageCaseId: brokered ? `brk_test${unique()}` : null,
    },
    now,
  );
  await runtime.db.transact((tx) => insertSale(tx, runtime.config, order, now));
  market.orders.push({
    id: order.id,
    book,
    model,
    currency,
    priceCents,
    commissionCents: shareOf(priceCents, book.commissionBps),
    createdAt: now,
    stage: held ? 'held' : 'paid',
    takenBack: null,
  });
}

/** Takes an order one step on, if there is one. */
export async function moveOn(runtime: TestRuntime, order: Noted): Promise<void> {
  if (order.takenBack) return;
  const { db } = runtime;
  if (order.stage === 'held') {
    await db.transact((tx) => clearOrder(tx, runtime, order.id));
    order.stage = 'paid';
  } else if (order.stage === 'paid') {
    await db.transact((tx) => startTransfer(tx, runtime, order.id));
    order.stage = 'transferring';
  } else if (order.stage === 'transferring') {
    await db.transact((tx) => confirmDelivery(tx, runtime, order.id));
    order.stage = 'delivered';
  }
}

/** Refunds, cancels or claws back, whichever the order's stage makes of it; once only. */
export async function giveBack(
  runtime: TestRuntime,
  order: Noted,
  cancelled: boolean,
): Promise<void> {
  if (order.takenBack) return;
  const cancels = cancelled && (order.stage === 'paid' || order.stage === 'held');
  await takeBack(runtime, order.id, cancels ? 'cancel' : 'by_state');
  order.takenBack = {
    kind: order.stage === 'delivered' ? 'clawback' : 'refund',
    cancelled: cancels,
    at: runtime.clock.now(),
  };
}

/** Closes what is due for a book as of a while ago, `atOnce` times at the same time. */
export async function settle(
  runtime: TestRuntime,
  book: Book,
  options: { agoMs: number; atOnce: number },
): Promise<void> {
  const until = later(runtime.clock.now(), -options.agoMs);
  await Promise.all(
    Array.from({ length: options.atOnce }, () => closeForPartner(runtime, { ...book, until })),
  );
}

/** Pays a closed statement, or ends a pending payout; the pick-th of those that wait. */
export async function payStatement(
  runtime: TestRuntime,
  market: Marketplace,
  pick: number,
): Promise<void> {
  const { rows } = await runtime.db.knex.raw(
    `select id from settlements where status = 'closed' and partner_id = any(?) order by id`,
    [partnersOf(market)],
  );
  const chosen = rows[pick % Math.max(1, rows.length)];
  if (!chosen) return;
  const input = { settlementId: chosen.id, reference: `wire-${chosen.id}` };
  await markSettlementPaid(runtime, 'test', input);
}

export async function endPayout(
  runtime: TestRuntime,
  market: Marketplace,
  pick: number,
  fate: 'paid' | 'failed',
): Promise<void> {
  const { rows } = await runtime.db.knex.raw(
    `select id, amount_cents, currency, partner_id, environment from payouts
     where status = 'pending' and partner_id = any(?) order by id`,
    [partnersOf(market)],
  );
  const chosen = rows[pick % Math.max(1, rows.length)];
  if (!chosen) return;
  const reference = `wire-${chosen.id}`;
  if (fate === 'failed') {
    await markPayoutFailed(runtime, 'test', { payoutId: chosen.id, reference, reason: null });
    return;
  }
  await markPayoutPaid(runtime, 'test', { payoutId: chosen.id, reference });
  const key = accountKey(chosen.partner_id, chosen.environment, chosen.currency);
  market.paidOut.set(key, (market.paidOut.get(key) ?? 0) + chosen.amount_cents);
}

export function accountKey(partnerId: string, environment: string, currency: string): string {
  return `${partnerId}/${environment}/${currency}`;
}

export function partnersOf(market: Marketplace): string[] {
  return [...new Set(market.books.map((book) => book.partnerId))];
}
