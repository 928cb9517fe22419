import type { Static } from 'typebox';
import { parseTld } from '../../../shared/inventory/domain-name.ts';
import {
  canonicalTag,
  type OwnedDomain,
  type OwnedDomainFilter,
} from '../../../shared/owned-domains/owned-domain.ts';
import { listOwnedDomains } from '../../../shared/owned-domains/read-owned-domains.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { cutPage } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { publicRoute } from '../route.ts';
import { userOf } from '../signed-in.ts';
import { DomainsQuery, DomainsView } from './domain.schema.ts';

/** `GET /domains`: the caller's domains by name. */
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
    const paging = { limit: query.limit, filters: ['owned-domains', userId, filter] };
    const position = await context.cursors.read(query.cursor, paging.filters);
    const rows = await listOwnedDomains(context, userId, filter, {
      after: position && String(position[0]),
      limit: query.limit + 1,
    });
    const { page, nextCursor } = await cutPage(context.cursors, rows, paging, ({ domain }) => [
      domain,
    ]);
    return reply(200, {
      items: page.map(domainView),
      page: { limit: query.limit, has_more: nextCursor !== null, next_cursor: nextCursor },
    });
  },
});

/** @throws validation_error */
function readFilter(query: Static<typeof DomainsQuery>): OwnedDomainFilter {
  const tld = query.tld === undefined ? null : parseTld(query.tld);
  if (tld === undefined) {
    throw invalid([{ path: '/tld', message: 'must be a suffix such as com or co.uk' }]);
  }
  return {
    tld,
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
    expires_at: owned.expiresAt,
    tags: owned.tags,
    listing: listing && {
      status: listing.status,
      price_cents: listing.price.amount,
      floor_price_cents: listing.floorPrice?.amount ?? null,
      currency: listing.price.currency,
      offers_accepted: listing.offersAccepted,
    },
  };
}
