import { reversePostings } from '../../money/ledger/ledger-entry.ts';
import { postEntry } from '../../money/ledger/post-entry.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Money } from '../../platform/money.ts';
import { attachReferralLink } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import { decodeClick, isInAttributionWindow } from './click-cookie.ts';
import * as store from './commission.store.ts';
import { appendLines, insertSale, moveToPending, moveToReversed } from './commission.store.ts';
import {
  accrualLines,
  pendingLines,
  type ReferredSale,
  referralPostings,
  reversalLines,
} from './commission.ts';
import { findLink } from './referral-link.store.ts';
import type { AffiliateOwner } from './referral-link.ts';

type ReferableOrder = Pick<Order, 'id' | 'partnerId' | 'environment' | 'price'>;

/**
 * Attributes a recorded sale to the last click of its buyer, and accrues the affiliate's commission: the
 * link's share of the price, half away from zero. `click` is what the checkout session kept of it. A link that
 * is unknown, of the other environment, or of the partner who sold (who has its own share of the sale) changes
 * nothing; nor does a click that is older than 30 days or has no time, or an order that is attributed already.
 * Call it before the order's events are recorded: the stream is locked last. Returns the sale, or null.
 */
export async function attributeSale(
  tx: Tx,
  input: { order: ReferableOrder; click: string | null | undefined },
  now: Date,
): Promise<ReferredSale | null> {
  const { order } = input;
  const click = decodeClick(input.click);
  if (!click || !isInAttributionWindow(click.clickedAt, now)) return null;
  const link = await findLink(tx, order.environment, click.code);
  // An affiliate account belongs to one partner, so that a link of somebody else's is never its own.
  if (!link || link.partnerId === order.partnerId) return null;

  const sale: ReferredSale = {
    orderId: order.id,
    linkId: link.id,
    partnerId: link.partnerId,
    environment: order.environment,
    price: order.price,
    commission: order.price.share(link.commissionBps),
    state: 'accrued',
  };
  if (!(await insertSale(tx, { ...sale, clickedAt: click.clickedAt, soldAt: now }))) return null;
  await attachReferralLink(tx, order.id, link.id);
  await appendLines(tx, accrualLines(sale), now);
  if (sale.commission.amount > 0) {
    await postEntry(
      tx,
      {
        kind: 'referral',
        reference: order.id,
        partnerId: link.partnerId,
        environment: order.environment,
        orderId: order.id,
        postings: referralPostings(sale.commission),
      },
      now,
    );
  }
  return sale;
}

/**
 * Makes the commissions of settled orders payable; any number of orders at once. Those without a
 * commission, and those whose commission was taken back, are passed over. Call it before the orders' events
 * are recorded: the stream is locked last.
 */
export async function markCommissionsPending(
  tx: Tx,
  orders: readonly { id: string }[],
  now: Date,
): Promise<void> {
  if (orders.length === 0) return;
  const sales = await moveToPending(
    tx,
    orders.map((order) => order.id),
    now,
  );
  await appendLines(tx, sales.flatMap(pendingLines), now);
}

/** Commissions of one currency that wait for a payout. */
export interface PayableCommissions {
  /** Over zero. */
  amount: Money;
  orderIds: readonly string[];
}

/**
 * What an affiliate is to be paid of what became payable by `until`, less what was paid out before and
 * taken back since, one entry a currency; locked until the transaction ends. A currency that comes to
 * nothing or less is left out: what is owed to us waits for the next commissions.
 * {@link assignToPayout} must follow.
 */
export async function lockPayableCommissions(
  tx: Tx,
  owner: AffiliateOwner,
  currency: string | null,
  until: Date,
): Promise<PayableCommissions[]> {
  const byCurrency = new Map<string, { amount: Money; orderIds: string[] }>();
  for (const row of await store.lockPayable(tx, owner, { currency, until })) {
    const code = row.amount.currency;
    const sum = byCurrency.get(code) ?? { amount: row.amount.zero(), orderIds: [] };
    sum.amount = sum.amount.plus(row.amount);
    sum.orderIds.push(row.orderId);
    byCurrency.set(code, sum);
  }
  return [...byCurrency.values()]
    .filter((sum) => sum.amount.amount > 0)
    .sort((a, b) => (a.amount.currency < b.amount.currency ? -1 : 1));
}

/** Notes the payout that pays what {@link lockPayableCommissions} gave, in the same transaction. */
export async function assignToPayout(
  tx: Tx,
  payoutId: string,
  pending: PayableCommissions,
): Promise<void> {
  await store.assignPayout(tx, payoutId, pending.orderIds);
}

/**
 * The payout was paid: its commissions are `paid_out`, and the balance is less by its amount. A second
 * call, and a payout without commissions, change nothing.
 */
export async function markCommissionsPaidOut(tx: Tx, payoutId: string, now: Date): Promise<void> {
  const content = await store.readPayoutContent(tx, payoutId);
  if (!content || !(await store.markPaidOut(tx, payoutId, now))) return;
  const { partnerId, environment, amount } = content;
  await store.appendLines(
    tx,
    [
      {
        partnerId,
        environment,
        type: 'paid_out',
        amount: amount.negated(),
        orderId: null,
        payoutId,
      },
    ],
    now,
  );
}

/**
 * The payment of the payout came back: what it carried is payable again, by another one, and the balance is higher
 * by its amount. A payout without commissions changes nothing.
 */
export async function reversePaidCommissions(tx: Tx, payoutId: string, now: Date): Promise<void> {
  const content = await store.readPayoutContent(tx, payoutId);
  if (!content) return;
  await store.unmarkPaidOut(tx, payoutId, now);
  const { partnerId, environment, amount } = content;
  await store.appendLines(
    tx,
    [{ partnerId, environment, type: 'reversed', amount, orderId: null, payoutId }],
    now,
  );
}

/** The payout failed before it was paid: its commissions became payable now, for another one. */
export async function releaseCommissions(tx: Tx, payoutId: string, now: Date): Promise<void> {
  await store.releaseFromPayout(tx, payoutId, now);
}

/**
 * Takes back the commission of an order that was refunded, cancelled or clawed back. What was paid out
 * already leaves the balance lower, and is kept back from the next payout. An order without a commission
 * changes nothing; nor does a second call. Call it before the order's events are recorded: the stream is
 * locked last.
 */
export async function reverseCommission(tx: Tx, order: { id: string }, now: Date): Promise<void> {
  const sale = await moveToReversed(tx, order.id, now);
  if (!sale || sale.commission.amount === 0) return;
  await appendLines(tx, reversalLines(sale), now);
  await postEntry(
    tx,
    {
      kind: 'referral_reversal',
      reference: order.id,
      partnerId: sale.partnerId,
      environment: sale.environment,
      orderId: order.id,
      postings: reversePostings(referralPostings(sale.commission)),
    },
    now,
  );
}
