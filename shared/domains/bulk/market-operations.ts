import { Type } from 'typebox';
import {
  delistDomains,
  putOnMarket,
  reopenListings,
  repriceDomains,
} from '../../market/inventory/change-listings.ts';
import type { Listing } from '../../market/inventory/listing.ts';
import { parseDomain } from '../../market/names/domain-name.ts';
import { unsaleableSuffix } from '../../market/names/unsaleable-suffix.ts';
import { INVALID_CURRENCY, isCurrency } from '../../platform/currencies.ts';
import type { FieldError } from '../../platform/errors.ts';
import { CURRENCY_CODE } from '../../platform/json-schema.ts';
import {
  type Cents as CentsAmount,
  formatMoneyWithCode,
  MAX_PRICE_CENTS,
  Money,
  moneyOrNull,
} from '../../platform/money.ts';
import { oneLineText } from '../../platform/one-line.ts';
import { setTags } from '../owned-domains/manage-owned-domains.ts';
import {
  canonicalTag,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
  type OwnedListing,
  PURCHASE_FAULTS,
} from '../owned-domains/owned-domain.ts';
import type { Refusal } from './bulk-job.ts';
import { asItIs, conflicting, defineOperation, FREE, malformed } from './define-operation.ts';

const Cents = (description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_PRICE_CENTS, description });
const Currency = (description: string) =>
  Type.String({ pattern: CURRENCY_CODE, description: `ISO 4217. ${description}` });
const Tags = (description: string) =>
  Type.Optional(
    Type.Array(oneLineText({ minLength: 1, maxLength: MAX_TAG_LENGTH }), {
      maxItems: MAX_TAGS,
      description,
    }),
  );

const NOTHING_TO_TELL = () => null;

/** The operations on our own data: listings and tags. */
export const MARKET_OPERATIONS = {
  list: defineOperation({
    params: Type.Object(
      {
        price_cents: Cents('Buy-now price, in minor units of the currency.'),
        floor_price_cents: Type.Optional(Cents('The lowest offer that you consider.')),
        currency: Type.Optional(Currency('Defaults to USD.')),
        offers_accepted: Type.Optional(
          Type.Boolean({ description: 'Whether the owner accepts offers.' }),
        ),
      },
      { title: 'BulkListParams' },
    ),
    canonical(params, faults) {
      const { price_cents: price, floor_price_cents: floor, currency = 'USD' } = params;
      checkCurrency(currency, faults);
      if (floor !== undefined && floor > price) {
        const message = 'must not be above price_cents';
        faults.push({ path: '/params/floor_price_cents', message });
      }
      return { ...params, currency };
    },
    asksTld: false,
    refusal(_params, { owned: { domain, leaving, purchaseFault } }) {
      if (purchaseFault === 'disputed') return conflicting(PURCHASE_FAULTS.disputed);
      if (leaving) return conflicting('Its authorization code was issued. Revoke the code first.');
      const reason = unsaleableSuffix(OWNERS_ENVIRONMENT, domain);
      return reason ? malformed(`It ${reason}.`) : undefined;
    },
    preview(params, { listing }) {
      const price = formatMoneyWithCode(listPrices(params).price);
      return listing?.status === 'listed'
        ? `Would stay on the market, for ${price}.`
        : `Would go on the market for ${price}.`;
    },
    cost: FREE,
    execution: {
      by: 'market',
      apply: async (uow, params, domains, listings) => {
        const { price, floorPrice } = listPrices(params);
        // A domain that its owner sold was refused, so what is sold here was sold to its owner.
        const sold = listingsOf(domains, listings).filter(({ status }) => status === 'sold');
        const reopened = await reopenListings(
          uow,
          sold.map(({ id }) => id),
        );
        const earlier = new Map([...listings, ...reopened]);
        const drafts = domains.map(({ domain }) => {
          const before = earlier.get(domain);
          return {
            name: parseDomain(domain),
            price,
            floorPrice,
            offersAccepted: params.offers_accepted ?? before?.offersAccepted ?? false,
            // Keeps the category, description and keywords of an earlier listing.
            category: before?.category ?? null,
            description: before?.description ?? null,
            keywords: before?.keywords ?? [],
          };
        });
        return putOnMarket(uow, OWNERS_ENVIRONMENT, drafts);
      },
      result: (params) => `For sale at ${formatMoneyWithCode(listPrices(params).price)}.`,
    },
  }),
  unlist: defineOperation({
    params: Type.Object({}, { title: 'BulkUnlistParams' }),
    canonical: asItIs,
    asksTld: false,
    refusal: (_params, { owned }) => (owned.listing ? undefined : NOT_ON_THE_MARKET),
    preview: (_params, { listing }) =>
      listing?.status === 'listed'
        ? 'Would go off the market.'
        : 'Nothing would change: it is not on the market.',
    cost: FREE,
    execution: {
      by: 'market',
      apply: (uow, _params, domains, listings) =>
        delistDomains(uow, OWNERS_ENVIRONMENT, listingIdsOf(domains, listings)),
      result: NOTHING_TO_TELL,
    },
  }),
  price: defineOperation({
    params: Type.Object(
      {
        price_cents: Cents(
          'The new buy-now price, in minor units of the currency it is listed in.',
        ),
        currency: Type.Optional(
          Currency('If set, domains listed in another currency are rejected.'),
        ),
      },
      { title: 'BulkPriceParams' },
    ),
    canonical(params, faults) {
      if (params.currency !== undefined) checkCurrency(params.currency, faults);
      return params;
    },
    asksTld: false,
    refusal(params, { owned: { listing } }) {
      if (!listing) return NOT_ON_THE_MARKET;
      if (listing.status !== 'listed') {
        return conflicting('It is off the market: only a listed domain has a price.');
      }
      const { currency } = listing.price;
      return (params.currency ?? currency) === currency
        ? undefined
        : conflicting(
            `It is listed in ${currency}. To change its currency, delist it and list it again.`,
          );
    },
    preview: ({ price_cents }, { listing }) =>
      listing
        ? `Would cost ${formatMoneyWithCode(newPrice(price_cents, listing))} instead of ${formatMoneyWithCode(listing.price)}.`
        : 'Nothing would change: it is not on the market.',
    cost: FREE,
    execution: {
      by: 'market',
      apply: (uow, { price_cents }, domains, listings) =>
        repriceDomains(uow, listingIdsOf(domains, listings), price_cents),
      result: ({ price_cents }, { listing }) =>
        listing ? `For sale at ${formatMoneyWithCode(newPrice(price_cents, listing))}.` : null,
    },
  }),
  tags: defineOperation({
    params: Type.Object(
      { add: Tags('Tags to add; case does not count.'), remove: Tags('Tags to take away.') },
      { title: 'BulkTagsParams' },
    ),
    canonical(params, faults) {
      const add = (params.add ?? []).map(canonicalTag);
      const remove = (params.remove ?? []).map(canonicalTag);
      if (add.length + remove.length === 0) {
        faults.push({ path: '/params', message: 'must have a tag in add or remove' });
      }
      if ([...add, ...remove].some((tag) => tag === '' || /\p{Cc}/u.test(tag))) {
        faults.push({ path: '/params', message: 'must have tags of visible characters' });
      }
      return { add, remove };
    },
    asksTld: false,
    refusal: (params, { owned }) =>
      tagsAfter(params, owned).length > MAX_TAGS
        ? malformed(`A domain has ${MAX_TAGS} tags at most.`)
        : undefined,
    preview: (params, owned) =>
      `Would have the tags: ${tagsAfter(params, owned).join(', ') || 'none'}.`,
    cost: FREE,
    execution: {
      by: 'market',
      apply: (uow, params, domains) =>
        setTags(
          uow,
          domains.map((owned) => ({ domain: owned.domain, tags: tagsAfter(params, owned) })),
        ),
      result: NOTHING_TO_TELL,
    },
  }),
} as const;

const NOT_ON_THE_MARKET: Refusal = { code: 'not_found', message: 'It is not on the market.' };

function listingIdsOf(
  domains: readonly OwnedDomain[],
  listings: ReadonlyMap<string, Listing>,
): number[] {
  return listingsOf(domains, listings).map(({ id }) => id);
}

function listingsOf(
  domains: readonly OwnedDomain[],
  listings: ReadonlyMap<string, Listing>,
): Listing[] {
  return domains.flatMap(({ domain }) => listings.get(domain) ?? []);
}

function newPrice(amount: CentsAmount, { price }: OwnedListing): Money {
  return new Money(amount, price.currency);
}

/** Returns a domain's tags after adding and removing some. A tag in both `add` and `remove` stays. */
export function tagsAfter(
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
  { tags }: Pick<OwnedDomain, 'tags'>,
): string[] {
  const gone = new Set(remove.map(canonicalTag));
  const kept = tags.filter((tag) => !gone.has(tag));
  return [...new Set([...kept, ...add.map(canonicalTag)])].sort();
}

function checkCurrency(code: string, faults: FieldError[]): void {
  if (!isCurrency(code)) faults.push({ path: '/params/currency', message: INVALID_CURRENCY });
}

/** Reads the prices from the params of `list`. */
function listPrices(params: {
  price_cents: number;
  floor_price_cents?: number;
  currency?: string;
}): {
  price: Money;
  floorPrice: Money | null;
} {
  const { price_cents, floor_price_cents = null, currency = 'USD' } = params;
  return {
    price: new Money(price_cents, currency),
    floorPrice: moneyOrNull(floor_price_cents, currency),
  };
}
