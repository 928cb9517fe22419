import { postEntry } from '../ledger/post-entry.ts';
import { attachReferralLink } from '../orders/mark-referred.ts';
import type { Order } from '../orders/order.ts';
import type { Tx } from '../platform/db.ts';
import { decodeClick, isInAttributionWindow } from './click-cookie.ts';
import { appendLines, insertSale } from './commission.store.ts';
import { accrualLines, type ReferredSale, referralPostings } from './commission.ts';
import { findLink } from './referral-link.store.ts';

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
