import { isStillWithBuyer } from '../../domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import { lockListing, withdrawListing } from '../../market/inventory/change-listings.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Order } from '../orders/order.ts';

/**
 * Takes a domain that its buyer has put up for sale again off the market, because the order with which they bought it
 * is taken back or disputed. Quotes and payments of the next buyer that are under way are honored, as always, and so
 * is a sale that was made. The order must be locked.
 */
export async function withdrawResale(uow: UnitOfWork, order: Order): Promise<void> {
  const { environment, domain, id: orderId, saleNumber } = order;
  if (environment !== OWNERS_ENVIRONMENT) return;
  // Even a listing that is not on the market is locked: its owner may be about to put it there.
  const listing = await lockListing(uow, environment, domain);
  if (!listing || listing.saleNumber <= saleNumber) return;
  if (await isStillWithBuyer(uow.sql, { domain, orderId })) await withdrawListing(uow, listing);
}
