import { postEntry } from '../ledger/post-entry.ts';
import { markReferred } from '../orders/mark-referred.ts';
import type { Order } from '../orders/order.ts';
import type { Tx } from '../platform/db.ts';
import { shareOf } from '../platform/money.ts';
import { isInWindow, readClick } from './click-cookie.ts';
import { appendLines, insertSale } from './commission.store.ts';
import { accrualLines, type ReferredSale, referralPostings } from './commission.ts';
import { findLink } from './referral-link.store.ts';

type ReferableOrder = Pick<Order, 'id' | 'environment' | 'salePriceCents' | 'currency'>;

/**
 * Attributes a recorded sale to the last click of its buyer, and accrues the affiliate's commission: the
 * link's share of the price, half away from zero. `code` is the value of the cookie `ref`, or a bare code;
 * `clickedAt` overrides what the cookie says. A code that is unknown, of the other environment, or older
 * than 30 days changes nothing; nor does an order that is attributed already. Call it before the
 * order's events are recorded: the stream is locked last. Returns the sale, or null.
 */
export async function attributeSale(
  tx: Tx,
  input: { order: ReferableOrder; code: string | null | undefined; clickedAt?: Date | null },
  now: Date,
): Promise<ReferredSale | null> {
  const { order } = input;
  const click = readClick(input.code);
  if (!click) return null;
  const clickedAt = input.clickedAt ?? click.clickedAt;
  if (clickedAt && !isInWindow(clickedAt, now)) return null;
  const link = await findLink(tx, order.environment, click.code);
  if (!link) return null;

  const sale: ReferredSale = {
    orderId: order.id,
    linkId: link.id,
    partnerId: link.partnerId,
    environment: order.environment,
    amountCents: order.salePriceCents,
    commissionCents: shareOf(order.salePriceCents, link.commissionBps),
    currency: order.currency,
    state: 'accrued',
  };
  if (!(await insertSale(tx, { ...sale, clickedAt, soldAt: now }))) return null;
  await markReferred(tx, order.id, link.id);
  await appendLines(tx, accrualLines(sale), now);
  if (sale.commissionCents > 0) {
    await postEntry(
      tx,
      {
        kind: 'referral',
        reference: order.id,
        partnerId: link.partnerId,
        environment: order.environment,
        orderId: order.id,
        postings: referralPostings(order.currency, sale.commissionCents),
      },
      now,
    );
  }
  return sale;
}
