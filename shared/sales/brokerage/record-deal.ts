import { findResaleFault } from '../../domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import {
  addSold,
  lockListing,
  markSold,
  reopenListings,
} from '../../market/inventory/change-listings.ts';
import { assertNoLegalHold, type Listing } from '../../market/inventory/listing.ts';
import { assertNotOnLegalHold } from '../../market/legal-holds/read-legal-holds.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { getCommissionRate } from '../../people/partners/read-partners.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';
import { beginningOf, reviewReasons } from '../orders/manual-review.ts';
import type { Buyer } from '../orders/order.ts';
import { wasSoldSince } from '../orders/read-orders.ts';
import { deliveryOfPartner, insertSale, newOrder } from '../orders/record-order.ts';
import { clearHoldForSale } from '../quotes/use-quote.ts';
import type { Deal } from './brokerage-case.store.ts';
import type { BrokerageCase } from './brokerage-case.ts';

/** The payment page with which the buyer paid for a deal. */
export interface DealCheckout {
  checkoutSessionId: string;
  buyer: Buyer;
  /** The review reasons that staff approved before the payment. */
  clearedReasons: readonly string[];
  /** Whether the provider is reviewing the payment. */
  inReview: boolean;
}

/**
 * Records the order of a deal: paid, with the partner's commission at its current rate. The domain becomes a sold
 * listing, whether or not its owner listed it, so that it is sold only once.
 * @throws conflict (domain_reserved) while somebody else's quote holds such a listing, conflict (domain_sold)
 *   when somebody has bought it, conflict (legal_hold), conflict (invalid_state) when its owner here cannot resell it
 */
export async function recordDeal(
  uow: UnitOfWork,
  config: Config,
  found: BrokerageCase,
  price: Money,
  checkout?: DealCheckout,
): Promise<Deal> {
  const { partnerId, environment, domain } = found;
  const buyer = checkout?.buyer ?? { email: found.buyerEmail, name: null, country: null };
  const facts = { partnerId, environment, price, buyer };
  const reasons = await reviewReasons(uow, config, facts, checkout?.clearedReasons);
  const paymentModel = 'brokerage' as const;
  const order = newOrder(
    {
      partnerId,
      environment,
      commissionBps: await getCommissionRate(uow, partnerId),
      listing: await takeOffMarket(uow, found, price, { isPaid: checkout !== undefined }),
      domain,
      ...beginningOf({ environment, domain, paymentModel }, reasons, checkout?.inReview),
      paymentModel,
      price,
      buyer,
      checkoutSessionId: checkout?.checkoutSessionId ?? null,
      brokerageCaseId: found.id,
      delivery: await deliveryOfPartner(uow, found),
    },
    uow.now,
  );
  await insertSale(uow, config, order);
  return { price, commission: order.commission, orderId: order.id };
}

async function reopenListing(uow: UnitOfWork, { id, domain }: Listing): Promise<Listing> {
  const reopened = (await reopenListings(uow, [id])).get(domain);
  if (!reopened) throw new Error(`the sold listing ${id} was not reopened`);
  return reopened;
}

/** Marks the deal's listing as sold, and returns it; for a domain that an earlier buyer resells, as sold again. */
async function takeOffMarket(
  uow: UnitOfWork,
  found: BrokerageCase,
  price: Money,
  sale: { isPaid: boolean },
): Promise<Pick<Listing, 'id' | 'saleNumber'>> {
  const { environment, domain } = found;
  const listing = await lockListing(uow, environment, domain);
  if (listing) assertNoLegalHold(listing);
  else await assertNotOnLegalHold(uow, environment, domain);
  // A domain that we delivered before the case was opened belongs to its buyer, who may resell it.
  if (await wasSoldSince(uow.sql, found, found.createdAt)) {
    throw conflict('domain_sold', `${domain} has been sold.`);
  }
  const fault =
    environment === OWNERS_ENVIRONMENT && (await findResaleFault(uow.sql, domain, sale));
  if (fault) throw conflict('invalid_state', fault);
  // An unlisted domain becomes a sold listing, so that nobody lists it. Retries if somebody just listed it.
  if (!listing) {
    const id = await addSold(uow, { environment, domain, price });
    return id === undefined ? takeOffMarket(uow, found, price, sale) : { id, saleNumber: 1 };
  }
  // An open quote is honored even if the owner has delisted the domain since.
  await clearHoldForSale(uow, found, listing.id);
  const forSale = listing.status === 'sold' ? await reopenListing(uow, listing) : listing;
  await markSold(uow, forSale);
  return forSale;
}
