import {
  isStillWithBuyer,
  lockOwnedDomain,
} from '../../domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import { stopTransferOutIfAny } from '../../domains/transfers-out/follow-transfer-out.ts';
import { lockListing, withdrawListing } from '../../market/inventory/change-listings.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Order } from '../orders/order.ts';
import { cancelRenewalsOf } from '../renewals/open-renewal.ts';

/**
 * Secures a domain that its buyer still has, because the order with which they bought it is taken back or disputed: it
 * leaves the market, and an authorization code that is out is revoked. Quotes and payments of the next buyer that are
 * under way are honored, as always, and so is a sale that was made. The order must be locked. Returns false if its buyer
 * does not have it.
 */
export async function secureDomain(uow: UnitOfWork, order: Order): Promise<boolean> {
  const { environment, domain, id: orderId, saleNumber } = order;
  if (environment !== OWNERS_ENVIRONMENT) return false;
  // Even a listing that is not on the market is locked: its owner may be about to put it there.
  const listing = await lockListing(uow, environment, domain);
  await lockOwnedDomain(uow, domain);
  if (!(await isStillWithBuyer(uow.sql, { domain, orderId }))) return false;
  if (listing && listing.saleNumber > saleNumber) await withdrawListing(uow, listing);
  await stopTransferOutIfAny(uow, 'worker', { domain });
  return true;
}

/**
 * Takes a domain back whose order is reversed, if its buyer still has it: secures it, and cancels the renewals that they
 * have not paid; money that arrives anyway is refunded. It stays in their account, which shows it as returned, until its
 * next owner has it. Returns false if its buyer does not have it.
 */
export async function takeDomainBack(uow: UnitOfWork, order: Order): Promise<boolean> {
  if (order.environment === OWNERS_ENVIRONMENT) await cancelRenewalsOf(uow, order);
  return secureDomain(uow, order);
}
