import { type Static, Type } from 'typebox';
import { findListing } from '../../shared/market/inventory/find-listing.ts';
import {
  isAvailableTo,
  isTransferable,
  type Listing,
  type ListingTerms,
  type ListingWithHold,
  lockedUntilOf,
  premiumTermsOf,
  visibleStatus,
} from '../../shared/market/inventory/listing.ts';
import { parseMarketDomain } from '../../shared/market/names/domain-name.ts';
import { fail } from '../../shared/platform/errors.ts';
import { Instant, nullable } from '../http/common-schemas.ts';
import { reply } from '../http/reply.ts';
import { Cents, Domain } from './listing-schemas.ts';
import { partnerRoute } from './partner-route.ts';
import { PremiumView, premiumView } from './premium-view.ts';

const AskedDomain = Type.String({
  maxLength: 1_024,
  description: 'A registrable domain in any spelling: Unicode or A-labels, any case.',
});

/** `?domain=` of the single-domain reads. */
const DomainQuery = Type.Object({ domain: AskedDomain });
const DomainParams = Type.Object({ name: AskedDomain });

const DomainDetail = Type.Object(
  {
    domain: Domain,
    domain_unicode: Type.String(),
    sld: Type.String({ description: 'The label before the public suffix, as an A-label.' }),
    tld: Type.String(),
    available: Type.Boolean({ description: 'Whether this partner can buy it now.' }),
    status: Type.Enum(['listed', 'held', 'sold', 'delisted']),
    price_cents: Cents,
    floor_price_cents: nullable(Cents),
    currency: Type.String(),
    offers_accepted: Type.Boolean(),
    category: nullable(Type.String()),
    description: nullable(Type.String()),
    keywords: Type.Array(Type.String()),
    length: Type.Integer({ description: 'The length of the label in visible characters.' }),
    listed_at: Instant,
    updated_at: Instant,
    registrar: nullable(
      Type.String({
        description: 'Who holds the domain at its registry; null if no registry was asked.',
      }),
    ),
    registry_statuses: Type.Array(Type.String(), {
      description: 'Its statuses at the registry (RFC 5731).',
    }),
    transferable: Type.Boolean({
      description:
        'Whether the domain can be transferred now. If not, it cannot be sold (`transfer_locked`).',
    }),
    locked_until: nullable({
      ...Instant,
      description: 'When the lock after registration or the last transfer ends.',
    }),
    premium: PremiumView,
  },
  { title: 'DomainDetail', description: 'A domain in the inventory.' },
);

const Availability = Type.Object(
  {
    domain: Domain,
    available: Type.Boolean(),
    price_cents: nullable(Cents),
    currency: nullable(Type.String()),
  },
  { title: 'Availability', description: 'Whether the domain can be bought now.' },
);

const Pricing = Type.Object(
  {
    domain: Domain,
    price_cents: Cents,
    floor_price_cents: nullable(Cents),
    currency: Type.String(),
  },
  { title: 'Pricing', description: 'The price of a listed domain.' },
);

/** `GET /domains/{name}`: all data of one domain; 404 if it was never listed in this environment. */
export const getDomainRoute = partnerRoute({
  method: 'GET',
  path: '/v1/domains/:name',
  operationId: 'getDomain',
  summary: 'Read one domain: price, availability and metadata.',
  scopes: ['search'],
  limit: 'search',
  params: DomainParams,
  responses: { 200: DomainDetail },
  async handler(context, { caller, params }) {
    const { ascii } = parseMarketDomain(params.name, '/name');
    const listing = await findListing(context, {
      environment: caller.environment,
      domain: ascii,
    });
    if (!listing?.wasOffered)
      throw fail('not_found', { message: `${ascii} was never listed here.` });
    return reply(200, domainView(listing, caller.partnerId, context.clock.now()));
  },
});

/** `GET /availability`: whether this partner can buy the domain now, and its price. */
export const getAvailabilityRoute = partnerRoute({
  method: 'GET',
  path: '/v1/availability',
  operationId: 'getAvailability',
  summary:
    'Check whether a domain can be bought now. An unlisted domain is unavailable, not an error.',
  description: 'Also 200, with `available: false`, for a domain that is sold, held or not listed.',
  scopes: ['search'],
  limit: 'search',
  query: DomainQuery,
  responses: { 200: Availability },
  async handler(context, { caller, query }) {
    const { ascii } = parseMarketDomain(query.domain, '/domain');
    const listing = await context.findTerms({
      environment: caller.environment,
      domain: ascii,
    });
    return reply(200, availabilityView(ascii, listing, caller.partnerId, context.clock.now()));
  },
});

/** `GET /pricing`: buy-now and floor price; 404 unless the domain is listed. */
export const getPricingRoute = partnerRoute({
  method: 'GET',
  path: '/v1/pricing',
  operationId: 'getPricing',
  summary: 'Read the buy-now and floor price of a listed domain.',
  scopes: ['search'],
  limit: 'search',
  query: DomainQuery,
  responses: { 200: Pricing },
  errors: ['not_found'],
  async handler(context, { caller, query }) {
    const { ascii } = parseMarketDomain(query.domain, '/domain');
    const listing = await context.findTerms({
      environment: caller.environment,
      domain: ascii,
    });
    if (listing?.status !== 'listed')
      throw fail('not_found', { message: `${ascii} is not listed.` });
    return reply(200, pricingView(listing));
  },
});

function domainView(
  listing: ListingWithHold,
  partnerId: string,
  now: Date,
): Static<typeof DomainDetail> {
  const [label = ''] = listing.domainUnicode.split('.');
  return {
    domain: listing.domain,
    domain_unicode: listing.domainUnicode,
    sld: listing.sld,
    tld: listing.tld,
    available: isAvailableTo(listing, partnerId, now),
    status: visibleStatus(listing),
    ...listingTerms(listing),
    length: Array.from(label).length,
    listed_at: listing.listedAt.toISOString(),
    updated_at: listing.updatedAt.toISOString(),
    registrar: listing.registration.registrar,
    registry_statuses: [...listing.registration.statuses],
    transferable: isTransferable(listing, now),
    locked_until: lockedUntilOf(listing, now)?.toISOString() ?? null,
    premium: premiumView(premiumTermsOf(listing)),
  };
}

/** Returns the price and description of a listing. */
export function listingTerms(listing: Listing) {
  return {
    price_cents: listing.price.amount,
    floor_price_cents: listing.floorPrice?.amount ?? null,
    currency: listing.price.currency,
    offers_accepted: listing.offersAccepted,
    category: listing.category,
    description: listing.description,
    keywords: listing.keywords,
  };
}

/** Returns the availability of a domain. An unlisted domain is not an error: it is unavailable, without a price. */
function availabilityView(
  domain: string,
  listing: ListingTerms | undefined,
  partnerId: string,
  now: Date,
): Static<typeof Availability> {
  if (!listing || !isAvailableTo(listing, partnerId, now)) {
    return { domain, available: false, price_cents: null, currency: null };
  }
  return {
    domain,
    available: true,
    price_cents: listing.price.amount,
    currency: listing.price.currency,
  };
}

function pricingView(listing: ListingTerms): Static<typeof Pricing> {
  return {
    domain: listing.domain,
    price_cents: listing.price.amount,
    floor_price_cents: listing.floorPrice?.amount ?? null,
    currency: listing.price.currency,
  };
}
