import type { UnitOfWork } from '../../delivery/unit-of-work/unit-of-work.ts';
import {
  delistDomains,
  putOnMarket,
  repriceDomains,
} from '../../market/inventory/change-listings.ts';
import { parseDomain } from '../../market/inventory/domain-name.ts';
import type { Listing } from '../../market/inventory/listing.ts';
import type { Tld } from '../../market/tlds/tld.ts';
import { type Cents, formatMoneyWithCode, Money } from '../../platform/money.ts';
import { setTags } from '../owned-domains/manage-owned-domains.ts';
import {
  canonicalTag,
  MAX_TAGS,
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
  type OwnedListing,
} from '../owned-domains/owned-domain.ts';
import { type BulkAction, type BulkOp, listPrices, MAX_RENEW_YEARS } from './bulk-action.ts';
import type { BulkItem, Refusal } from './bulk-job.ts';

/** What is known around the domains of a chunk. */
export interface CheckContext {
  /** Those that are the caller's, by name. */
  owned: ReadonlyMap<string, OwnedDomain>;
  /** The rules of the TLDs, by name; empty for operations that have nothing to do with them. */
  tlds: ReadonlyMap<string, Tld>;
  now: Date;
}

/** The operations that a TLD has rules about. */
export const OPS_WITH_TLD_RULES: ReadonlySet<BulkOp> = new Set(['nameservers', 'lock', 'renew']);

/** Either the domain to work on, or why not. */
export type Checked = { owned: OwnedDomain } | { refusal: Refusal };

/** Whether an action can be done to a domain of a job. The same for real and for a dry run. */
export function checkItem(action: BulkAction, item: BulkItem, around: CheckContext): Checked {
  if (item.code !== null) return { refusal: { code: item.code, message: item.message ?? '' } };
  const owned = around.owned.get(item.domain);
  if (!owned) {
    return { refusal: { code: 'forbidden', message: 'This domain is not among yours.' } };
  }
  const refusal = refusalFor(action, owned, around);
  return refusal ? { refusal } : { owned };
}

function refusalFor(
  action: BulkAction,
  owned: OwnedDomain,
  { tlds, now }: CheckContext,
): Refusal | undefined {
  const { listing } = owned;
  if (listing?.status === 'sold') return conflicting('It is sold, and no longer yours to change.');
  const tld = tlds.get(owned.tld);
  switch (action.op) {
    case 'nameservers': {
      const { nameservers } = action.params;
      const max = tld?.rules.nameservers.max ?? nameservers.length;
      return nameservers.length > max
        ? invalid(`.${owned.tld} takes ${max} nameservers at most.`)
        : undefined;
    }
    case 'lock':
      return tld?.rules.transfer.lock_supported === false
        ? invalid(`.${owned.tld} has no transfer lock.`)
        : undefined;
    case 'renew':
      return renewalFault(action.params.years, owned, tld, now);
    case 'price': {
      if (!listing) return NOT_ON_THE_MARKET;
      if (listing.status !== 'listed') {
        return conflicting('It is off the market: only a listed domain has a price.');
      }
      const { currency } = listing.price;
      return (action.params.currency ?? currency) === currency
        ? undefined
        : conflicting(`It is listed in ${currency}. List it anew to change its currency.`);
    }
    case 'unlist':
      return listing ? undefined : NOT_ON_THE_MARKET;
    case 'tags':
      return tagsAfter(action.params, owned).length > MAX_TAGS
        ? invalid(`A domain has ${MAX_TAGS} tags at most.`)
        : undefined;
    default:
      return undefined;
  }
}

const NOT_ON_THE_MARKET: Refusal = { code: 'not_found', message: 'It is not on the market.' };

function renewalFault(
  years: number,
  { tld: name, expiresAt }: OwnedDomain,
  tld: Tld | undefined,
  now: Date,
): Refusal | undefined {
  const [min, max] = [tld?.minYears ?? 1, tld?.maxYears ?? MAX_RENEW_YEARS];
  if (years < min || years > max) {
    const terms = min === max ? yearsOf(min) : `${min} to ${yearsOf(max)}`;
    return invalid(`.${name} is renewed for ${terms}.`);
  }
  const latest = new Date(now);
  latest.setUTCFullYear(now.getUTCFullYear() + max);
  return expiryAfter(expiresAt, years) > latest
    ? invalid(`.${name} runs for ${yearsOf(max)} at most; it expires ${dayOf(expiresAt)} now.`)
    : undefined;
}

/** What an action would do to a domain that it can be done to, for a dry run. */
export function previewMessage(action: BulkAction, owned: OwnedDomain): string {
  switch (action.op) {
    case 'nameservers':
      return `Would set the nameservers ${action.params.nameservers.join(', ')}.`;
    case 'lock':
      return switching('the transfer lock', owned.locked, action.params.enabled);
    case 'auto_renew':
      return switching('automatic renewal', owned.autoRenew, action.params.enabled);
    case 'privacy':
      return switching('WHOIS privacy', owned.privacy, action.params.enabled);
    case 'renew':
      return `Would expire ${dayOf(expiryAfter(owned.expiresAt, action.params.years))} instead of ${dayOf(owned.expiresAt)}.`;
    case 'list':
      return owned.listing?.status === 'listed'
        ? `Would stay on the market, for ${formatMoneyWithCode(listPrices(action.params).price)}.`
        : `Would go on the market for ${formatMoneyWithCode(listPrices(action.params).price)}.`;
    case 'unlist':
      return owned.listing?.status === 'listed'
        ? 'Would go off the market.'
        : 'Nothing would change: it is off the market.';
    case 'price':
      return owned.listing
        ? `Would cost ${formatMoneyWithCode(newPrice(action.params.price_cents, owned.listing))} instead of ${formatMoneyWithCode(owned.listing.price)}.`
        : 'Nothing would change: it is off the market.';
    case 'tags':
      return `Would have the tags: ${tagsAfter(action.params, owned).join(', ') || 'none'}.`;
  }
}

/** What a price op did: the price that its domain has now, with the currency; null for every other one. */
export function resultMessage(action: BulkAction, owned: OwnedDomain): string | null {
  if (action.op === 'list')
    return `For sale at ${formatMoneyWithCode(listPrices(action.params).price)}.`;
  if (action.op !== 'price' || !owned.listing) return null;
  return `For sale at ${formatMoneyWithCode(newPrice(action.params.price_cents, owned.listing))}.`;
}

function newPrice(amount: Cents, { price }: OwnedListing): Money {
  return new Money(amount, price.currency);
}

/** The tags of a domain after some came and some went; one that does both stays. */
export function tagsAfter(
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
  { tags }: Pick<OwnedDomain, 'tags'>,
): string[] {
  const gone = new Set(remove.map(canonicalTag));
  const kept = tags.filter((tag) => !gone.has(tag));
  return [...new Set([...kept, ...add.map(canonicalTag)])].sort();
}

function switching(what: string, now: boolean, wanted: boolean): string {
  const state = wanted ? 'on' : 'off';
  return now === wanted
    ? `Nothing would change: ${what} is ${state}.`
    : `Would turn ${what} ${state}.`;
}

function expiryAfter(expiresAt: Date, years: number): Date {
  const after = new Date(expiresAt);
  after.setUTCFullYear(expiresAt.getUTCFullYear() + years);
  return after;
}

function yearsOf(count: number): string {
  return count === 1 ? '1 year' : `${count} years`;
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function invalid(message: string): Refusal {
  return { code: 'validation_error', message };
}

function conflicting(message: string): Refusal {
  return { code: 'conflict', message };
}

/**
 * Does what happens in our own books alone: lists, unlists, reprices or tags these domains. They and their
 * listings must be locked, and checked.
 */
export async function applyLocally(
  uow: UnitOfWork,
  action: BulkAction,
  domains: readonly OwnedDomain[],
  listings: ReadonlyMap<string, Listing>,
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
      await putOnMarket(uow, OWNERS_ENVIRONMENT, drafts);
      return;
    }
    case 'unlist':
      return delistDomains(uow, OWNERS_ENVIRONMENT, listingIds);
    case 'price':
      return repriceDomains(uow, listingIds, action.params.price_cents);
    case 'tags': {
      const tagged = domains.map((owned) => ({
        domain: owned.domain,
        tags: tagsAfter(action.params, owned),
      }));
      return setTags(uow, tagged);
    }
    default:
      throw new Error(`${action.op} is the registrar's to do`);
  }
}
