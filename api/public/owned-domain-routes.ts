import { type Static, Type } from 'typebox';
import { listOwnedDomains } from '../../shared/domains/owned-domains/manage-owned-domains.ts';
import {
  ANY_DOMAIN,
  canonicalTag,
  type OwnedDomain,
  type OwnedDomainFilter,
} from '../../shared/domains/owned-domains/owned-domain.ts';
import { SignerFields, signerFields } from '../../shared/domains/registrar/delegation-signers.ts';
import {
  dateOrInstant,
  Instant,
  nullable,
  parseTldFilter,
  TldFilter,
} from '../http/common-schemas.ts';
import { BY_ID, PageQuery } from '../http/pagination.ts';
import { reply } from '../http/reply.ts';
import { userOf } from './public-caller.ts';
import { publicRoute } from './public-route.ts';

const DomainsQuery = Type.Object({
  ...PageQuery,
  tld: TldFilter,
  tag: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Only domains with this tag (case-insensitive).',
    }),
  ),
  listed: Type.Optional(
    Type.Boolean({ description: 'Only domains on the market, or only those that are not.' }),
  ),
  expires_before: Type.Optional(dateOrInstant('Exclusive.')),
});

const OwnedListing = Type.Object(
  {
    status: Type.Enum(['listed', 'sold', 'delisted']),
    price_cents: Type.Integer(),
    floor_price_cents: nullable(Type.Integer()),
    currency: Type.String(),
    offers_accepted: Type.Boolean(),
  },
  { description: "The domain's listing on the public market." },
);

const DomainsView = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          domain: Type.String({ description: 'In A-labels (Punycode), lower case.' }),
          unicode: Type.String(),
          tld: Type.String(),
          nameservers: Type.Array(Type.String()),
          locked: Type.Boolean({
            description: 'Whether transfers to another registrar are locked.',
          }),
          auto_renew: Type.Boolean(),
          privacy: Type.Boolean({ description: 'Whether WHOIS hides the registrant.' }),
          dnssec: Type.Array(SignerFields, {
            description: 'Its DS records; empty without DNSSEC.',
          }),
          expires_at: Instant,
          tags: Type.Array(Type.String()),
          returned: Type.Boolean({
            description:
              'Whether its purchase was refunded, so that it is no longer yours. It stays in the list until its next owner has it.',
          }),
          listing: nullable(OwnedListing),
        },
        { title: 'OwnedDomain' },
      ),
    ),
    page: Type.Object({
      limit: Type.Integer(),
      has_more: Type.Boolean(),
      next_cursor: nullable(Type.String()),
    }),
  },
  { title: 'OwnedDomainList', description: "The caller's domains, by name." },
);

/** `GET /domains`: lists the caller's domains by name. */
export const listDomainsRoute = publicRoute({
  method: 'GET',
  path: '/domains',
  operationId: 'listOwnedDomains',
  summary: 'List your domains.',
  limit: 'reads',
  scope: 'domains:manage',
  query: DomainsQuery,
  responses: { 200: DomainsView },
  errors: ['invalid_cursor'],
  async handler(context, { caller, query }) {
    const userId = userOf(caller);
    const filter = readFilter(query);
    const { limit } = query;
    const cursors = context.cursors.of(['owned-domains', userId, filter], BY_ID);
    const last = await cursors.read(query.cursor);
    const after = last === null ? null : { domain: last, expiresAt: null };
    const wanted = { ...ANY_DOMAIN, ...filter };
    const page = { sort: 'a_to_z', after, limit } as const;
    const { rows, next } = await listOwnedDomains(context, userId, wanted, page);
    return reply(200, {
      items: rows.map(domainView),
      page: {
        limit,
        has_more: next !== null,
        next_cursor: await cursors.write(next?.domain ?? null),
      },
    });
  },
});

/** @throws validation_error */
function readFilter(query: Static<typeof DomainsQuery>): Partial<OwnedDomainFilter> {
  return {
    tld: parseTldFilter(query.tld),
    tag: query.tag === undefined ? null : canonicalTag(query.tag),
    listed: query.listed ?? null,
    expiresBefore: query.expires_before === undefined ? null : new Date(query.expires_before),
  };
}

function domainView({ listing, ...owned }: OwnedDomain) {
  return {
    domain: owned.domain,
    unicode: owned.unicode,
    tld: owned.tld,
    nameservers: owned.nameservers,
    locked: owned.locked,
    auto_renew: owned.autoRenew,
    privacy: owned.privacy,
    dnssec: owned.signers.map(signerFields),
    expires_at: owned.expiresAt,
    tags: owned.tags,
    returned: owned.purchaseFault === 'refunded',
    listing: listing && {
      status: listing.status,
      price_cents: listing.price.amount,
      floor_price_cents: listing.floorPrice?.amount ?? null,
      currency: listing.price.currency,
      offers_accepted: listing.offersAccepted,
    },
  };
}
