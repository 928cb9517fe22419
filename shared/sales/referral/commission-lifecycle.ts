import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { reversePostings } from '../../money/ledger/ledger-entry.ts';
import { postEntry } from '../../money/ledger/post-entry.ts';
import type { Money } from '../../platform/money.ts';
import { attachReferralLink } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import { decodeClick, isInAttributionWindow } from './click-cookie.ts';
import * as store from './commission.store.ts';
import { appendLines, moveToPending, moveToReversed, writeSale } from './commission.store.ts';
import {
  accrualLines,
  pendingLines,
  type ReferredSale,
  referralPostings,
  reversalLines,
} from './commission.ts';
import { selectLink } from './referral-link.store.ts';
import type { AffiliateOwner } from './referral-link.ts';

type ReferableOrder = Pick<Order, 'id' | 'partnerId' | 'environment' | 'price'>;

/**
 * Attributes a recorded sale to the last click of its buyer, and accrues the affiliate's commission: the link's
 * share of the price, rounded half away from zero. `click` is the checkout session's encoded click. Returns null and
 * changes nothing if the link is unknown, belongs to the other environment or to the selling partner (who has its
 * own commission), if the click is older than 30 days or has no time, or if the order is already attributed.
 */
export async function attributeSale(
  uow: UnitOfWork,
  input: { order: ReferableOrder; click: string | null | undefined },
): Promise<ReferredSale | null> {
  const { order } = input;
  const click = decodeClick(input.click);
  if (!click || !isInAttributionWindow(click.clickedAt, uow.realNow)) return null;
  const link = await selectLink.first(uow.sql, {
    environment: order.environment,
    code: click.code,
  });
  // An affiliate account belongs to one partner, so another partner's link is never the seller's own.
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
  if (!(await writeSale(uow.sql, { ...sale, clickedAt: click.clickedAt, soldAt: uow.realNow })))
    return null;
  await attachReferralLink(uow, order.id, link.id);
  await appendLines(uow.sql, accrualLines(sale), uow.realNow);
  if (sale.commission.amount > 0) {
    await postEntry(uow, {
      kind: 'referral',
      reference: order.id,
      partnerId: link.partnerId,
      environment: order.environment,
      orderId: order.id,
      postings: referralPostings(sale.commission),
    });
  }
  return sale;
}

/**
 * Makes the commissions of any number of settled orders payable. Skips orders without a commission and those whose
 * commission was reversed.
 */
export async function markCommissionsPending(
  uow: UnitOfWork,
  orders: readonly { id: string }[],
): Promise<void> {
  if (orders.length === 0) return;
  const sales = await moveToPending(
    uow.sql,
    orders.map((order) => order.id),
    uow.realNow,
  );
  await appendLines(uow.sql, sales.flatMap(pendingLines), uow.realNow);
}

/** Commissions in one currency that wait for a payout. */
export interface PayableCommissions {
  /** Greater than zero. */
  amount: Money;
  orderIds: readonly string[];
}

/**
 * Locks an affiliate's commissions that became payable by `until`, less those that were paid out and reversed since,
 * and returns one entry per currency. Leaves out a currency whose sum is not positive: a debt to us waits for the
 * next commissions.
 * {@link assignToPayout} must follow.
 */
export async function lockPayableCommissions(
  uow: UnitOfWork,
  owner: AffiliateOwner,
  currency: string | null,
  until: Date,
): Promise<PayableCommissions[]> {
  const byCurrency = new Map<string, { amount: Money; orderIds: string[] }>();
  for (const row of await store.lockPayable(uow.sql, owner, { currency, until })) {
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

/** Assigns the result of {@link lockPayableCommissions} to a payout, in the same transaction. */
export async function assignToPayout(
  uow: UnitOfWork,
  payoutId: string,
  pending: PayableCommissions,
): Promise<void> {
  await store.updatePayout.run(uow.sql, { payoutId, orderIds: pending.orderIds });
}

/**
 * Records that a payout was paid: its commissions become `paid_out`, and the balance falls by its amount. A second
 * call, or a payout without commissions, changes nothing.
 */
export async function markCommissionsPaidOut(uow: UnitOfWork, payoutId: string): Promise<void> {
  const content = await store.readPayoutContent(uow.sql, payoutId);
  if (!content) return;
  const marked = await store.updatePaidOut.run(uow.sql, { payoutId, now: uow.realNow });
  if (marked === 0) return;
  const { partnerId, environment, amount } = content;
  await store.appendLines(
    uow.sql,
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
    uow.realNow,
  );
}

/**
 * Records that the payment of a payout was returned: its commissions become payable again, by another payout, and the
 * balance rises by its amount. A payout without commissions changes nothing.
 */
export async function reversePaidCommissions(uow: UnitOfWork, payoutId: string): Promise<void> {
  const content = await store.readPayoutContent(uow.sql, payoutId);
  if (!content) return;
  await store.updateUnpaid.run(uow.sql, { payoutId, now: uow.realNow });
  const { partnerId, environment, amount } = content;
  await store.appendLines(
    uow.sql,
    [{ partnerId, environment, type: 'reversed', amount, orderId: null, payoutId }],
    uow.realNow,
  );
}

/** Releases the commissions of a payout that failed before it was paid. They become payable by another payout. */
export async function releaseCommissions(uow: UnitOfWork, payoutId: string): Promise<void> {
  await store.updateReleased.run(uow.sql, { payoutId, now: uow.realNow });
}

/**
 * Reverses the commission of an order that was refunded, canceled or clawed back. If it was already paid out, the
 * balance falls, and the amount is deducted from the next payout. A second call, or an order without a commission,
 * changes nothing.
 */
export async function reverseCommission(uow: UnitOfWork, order: { id: string }): Promise<void> {
  const sale = await moveToReversed(uow.sql, order.id, uow.realNow);
  if (!sale || sale.commission.amount === 0) return;
  await appendLines(uow.sql, reversalLines(sale), uow.realNow);
  await postEntry(uow, {
    kind: 'referral_reversal',
    reference: order.id,
    partnerId: sale.partnerId,
    environment: sale.environment,
    orderId: order.id,
    postings: reversePostings(referralPostings(sale.commission)),
  });
}
