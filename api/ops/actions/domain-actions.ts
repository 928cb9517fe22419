import { Type } from 'typebox';
import { grantDomains } from '../../../shared/domains/domain-grants/grant-domains.ts';
import { setAuthCode } from '../../../shared/domains/registrar/auth-codes.ts';
import { releaseTaken } from '../../../shared/domains/transfers-out/taken-domains.ts';
import {
  addListing,
  delistListing,
  lockListing,
  repriceListing,
} from '../../../shared/market/inventory/change-listings.ts';
import type { Listing } from '../../../shared/market/inventory/listing.ts';
import { parseDomainToList, parseMarketDomain } from '../../../shared/market/names/domain-name.ts';
import { listEmojiTlds } from '../../../shared/market/tlds/tld-catalogue.ts';
import { recordAudit, withAuditTrail } from '../../../shared/people/audit/audit-log.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import { relistDomain } from '../../../shared/sales/refunds/relist-domain.ts';
import { ANY_TEXT } from '../../http/validate.ts';
import { listingTerms } from '../../partner/domain-routes.ts';
import {
  amountField,
  authCodeField,
  DANGEROUS,
  EnvironmentField,
  HARMLESS,
  OPERATIONS,
  type OpsContext,
  opsAction,
  route,
} from '../ops-action.ts';

/** A domain as people write it. */
export const DomainField = Type.String({
  maxLength: 1_000,
  description: 'The domain, in Unicode or punycode.',
});
const BuyNow = amountField('Buy-now price');

export const listingAdd = opsAction({
  name: 'listing:add',
  summary: 'Put a domain on the market',
  input: Type.Object({
    environment: EnvironmentField,
    domain: DomainField,
    price_cents: BuyNow,
    floor_price_cents: Type.Optional(amountField('Lowest acceptable offer')),
    currency: Type.Optional(Type.String({ description: 'ISO 4217. Defaults to USD.' })),
    offers_accepted: Type.Optional(Type.Boolean({ description: 'The owner accepts offers.' })),
    description: Type.Optional(
      Type.String({ ...ANY_TEXT, description: 'A sentence or two for buyers.' }),
    ),
    category: Type.Optional(Type.String({ description: 'One or two words.' })),
    keywords: Type.Optional(Type.Array(Type.String(), { description: 'Words to find it by.' })),
  }),
  async run(context, input) {
    const { environment, domain } = input;
    // First, because only this check knows which suffixes to name in its error.
    parseDomainToList(domain, '/domain', await listEmojiTlds(context));
    const listing = await addListing(
      withListingAudit(context, 'listing:add', environment, domain),
      {
        environment,
        domain,
        priceCents: input.price_cents,
        floorPriceCents: input.floor_price_cents,
        currency: input.currency,
        offersAccepted: input.offers_accepted,
        description: input.description,
        category: input.category,
        keywords: input.keywords,
      },
    );
    return listingView(listing);
  },
});

export const listingPrice = opsAction({
  name: 'listing:price',
  summary: 'Change the buy-now price of a listed domain; open quotes keep theirs',
  input: Type.Object({ environment: EnvironmentField, domain: DomainField, price_cents: BuyNow }),
  async run(context, { environment, domain, price_cents: priceCents }) {
    const slice = withListingAudit(context, 'listing:price', environment, domain);
    return listingView(await repriceListing(slice, { environment, domain, priceCents }));
  },
});

export const listingDelist = opsAction({
  name: 'listing:delist',
  summary: 'Take a domain off the market; open quotes and payments are still honored',
  input: Type.Object({ environment: EnvironmentField, domain: DomainField }),
  async run(context, { environment, domain }) {
    const slice = withListingAudit(context, 'listing:delist', environment, domain);
    return listingView(await delistListing(slice, { environment, domain }));
  },
});

export const listingRelist = opsAction({
  name: 'listing:relist',
  summary: 'Put the domain of a reversed order back on the market',
  input: Type.Object({
    environment: EnvironmentField,
    domain: DomainField,
    returned: Type.Optional(
      Type.Boolean({
        description:
          'The domain was transferred with that order, and you have seen it back in our account.',
      }),
    ),
  }),
  async run(context, { environment, domain, returned = false }) {
    const slice = withListingAudit(context, 'listing:relist', environment, domain);
    return listingView(await relistDomain(slice, { environment, domain, returned }));
  },
});

const domainAuthCode = opsAction({
  name: 'domain:auth-code',
  summary: 'Store the authorization code of a domain at another registrar',
  input: Type.Object({
    domain: DomainField,
    auth_code: authCodeField('As the owner gave it.'),
  }),
  async run({ db, secrets, actor }, { domain, auth_code: authInfo }) {
    const { ascii } = parseMarketDomain(domain);
    await db.transact(async (uow) => {
      await setAuthCode(uow, secrets, { domain: ascii, authInfo });
      // The code itself does not go into the audit trail.
      await recordAudit(uow, { actor, action: 'domain:auth-code', subject: `LIVE:${ascii}` });
    });
    return { domain: ascii };
  },
});

export const domainRelease = opsAction({
  name: 'domain:release',
  summary: 'Remove a domain that another registrar took and keeps from its owner’s account',
  input: Type.Object({ domain: DomainField }),
  async run(context, { domain }) {
    const { ascii } = parseMarketDomain(domain);
    await releaseTaken(context, context.actor, ascii);
    return { domain: ascii };
  },
});

/** Returns the runtime for a command that changes this listing, with an audit trail entry. */
function withListingAudit(
  context: OpsContext,
  action: string,
  environment: Environment,
  domain: string,
) {
  const { ascii } = parseMarketDomain(domain);
  const db = withAuditTrail(context, {
    actor: context.actor,
    action,
    subject: `${environment}:${ascii}`,
    async snapshot(tx) {
      const listing = await lockListing(tx, environment, ascii);
      return (
        listing && {
          status: listing.status,
          price_cents: listing.price.amount,
          floor_price_cents: listing.floorPrice?.amount ?? null,
          currency: listing.price.currency,
        }
      );
    },
  });
  return { ...context, db };
}

function listingView(listing: Listing) {
  return {
    domain: listing.domain,
    domain_unicode: listing.domainUnicode,
    environment: listing.environment,
    status: listing.status,
    ...listingTerms(listing),
    listed_at: listing.listedAt,
    updated_at: listing.updatedAt,
  };
}

/** The maximum number of domains in one request; a file can contain any number. */
const MAX_DOMAINS = 1_000;

export const DomainGrantInput = Type.Object({
  email: Type.String({ maxLength: 254, description: 'The email address of the owner.' }),
  domain: Type.Array(Type.String({ maxLength: 1_000 }), {
    minItems: 1,
    maxItems: MAX_DOMAINS,
    description: 'The domains, separated by commas. Can be repeated.',
  }),
});

export const domainGrant = opsAction({
  name: 'domain:grant',
  summary: 'Make a user the owner of domains',
  input: DomainGrantInput,
  async run(context, { email, domain: domains }) {
    return { granted: await grantDomains(context, context.actor, { email, domains }) };
  },
});

export const domainRoutes = [
  route('POST', '/listings', 201, listingAdd, OPERATIONS, DANGEROUS),
  route('POST', '/listings/:environment/:domain/price', 200, listingPrice, OPERATIONS, DANGEROUS),
  route('POST', '/listings/:environment/:domain/delist', 200, listingDelist, OPERATIONS, HARMLESS),
  route('POST', '/listings/:environment/:domain/relist', 200, listingRelist, OPERATIONS, DANGEROUS),
  route('POST', '/domains', 200, domainGrant, OPERATIONS, DANGEROUS),
  route('POST', '/domains/:domain/release', 200, domainRelease, OPERATIONS, DANGEROUS),
  route('POST', '/domains/:domain/auth-code', 200, domainAuthCode, OPERATIONS, DANGEROUS),
];
