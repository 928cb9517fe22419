import { delistDomains, putOnMarket, repriceDomains } from '../inventory/change-listings.ts';
import { parseDomain } from '../inventory/domain-name.ts';
import type { Listing } from '../inventory/listing.ts';
import { setTags } from '../owned-domains/change-owned-domains.ts';
import { OWNERS_ENVIRONMENT, type OwnedDomain } from '../owned-domains/owned-domain.ts';
import type { Tx } from '../platform/db.ts';
import { type BulkAction, listPrices } from './bulk-action.ts';
import { tagsAfter } from './check-domain.ts';

/**
 * Does what happens in our own books alone: lists, unlists, reprices or tags these domains. They and their
 * listings must be locked, and checked.
 */
export async function applyLocally(
  tx: Tx,
  action: BulkAction,
  domains: readonly OwnedDomain[],
  listings: ReadonlyMap<string, Listing>,
  now: Date,
): Promise<void> {
  if (domains.length === 0) return;
  const listingIds = domains.flatMap(({ domain }) => listings.get(domain)?.id ?? []);
  switch (action.op) {
    case 'list': {
      const { price, floorPrice } = listPrices(action.params);
      const { offers_accepted } = action.params;
      const drafts = domains.map(({ domain }) => {
        const before = listings.get(domain);
        return {
          name: parseDomain(domain),
          price,
          floorPrice,
          offersAccepted: offers_accepted ?? before?.offersAccepted ?? false,
          // What was said of it before is still true.
          category: before?.category ?? null,
          description: before?.description ?? null,
          keywords: before?.keywords ?? [],
        };
      });
      await putOnMarket(tx, OWNERS_ENVIRONMENT, drafts, now);
      return;
    }
    case 'unlist':
      return delistDomains(tx, OWNERS_ENVIRONMENT, listingIds, now);
    case 'price':
      return repriceDomains(tx, listingIds, action.params.price_cents, now);
    case 'tags': {
      const tagged = domains.map((owned) => ({
        domain: owned.domain,
        tags: tagsAfter(action.params, owned),
      }));
      return setTags(tx, tagged, now);
    }
    default:
      throw new Error(`${action.op} is the registrar's to do`);
  }
}
