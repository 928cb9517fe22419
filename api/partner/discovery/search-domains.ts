import { parseTld } from '../../../shared/inventory/domain-name.ts';
import { type FieldError, invalid } from '../../../shared/platform/errors.ts';
import { searchListings } from '../../../shared/search/search-listings.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { SearchAnswer, SearchQuery } from './discovery.schema.ts';
import { searchView } from './discovery.view.ts';

const MIN_QUERY = 2;
const MAX_QUERY = 200;
const MAX_TLDS = 50;

/** `GET /domains/search`: at most five relevant domains. */
export const searchDomainsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/domains/search',
  operationId: 'searchDomains',
  summary: 'Search the inventory by meaning, keyword or name.',
  description:
    'At most five results, best first; fewer when fewer fit. Domains that a quote holds are left out.',
  scopes: ['search'],
  limit: 'search',
  query: SearchQuery,
  responses: { 200: SearchAnswer },
  async handler(context, { caller, query }) {
    const faults: FieldError[] = [];
    const text = query.q.trim();
    const length = Array.from(text).length;
    if (length < MIN_QUERY || length > MAX_QUERY) {
      faults.push({ path: '/q', message: `must have ${MIN_QUERY} to ${MAX_QUERY} characters` });
    }
    if ((query.min_price_cents ?? 0) > (query.max_price_cents ?? Number.POSITIVE_INFINITY)) {
      faults.push({ path: '/min_price_cents', message: 'must not be above max_price_cents' });
    }
    // How a score comes about is for developing against; in LIVE it would tell buyers' tools how to be ranked.
    if (query.explain && caller.environment !== 'SANDBOX') {
      faults.push({ path: '/explain', message: 'is answered in SANDBOX only' });
    }
    const tlds = query.tld === undefined ? undefined : readTlds(query.tld, faults);
    if (faults.length > 0) throw invalid(faults);

    const results = await searchListings(context, {
      environment: caller.environment,
      query: text,
      tlds,
      minPriceCents: query.min_price_cents,
      maxPriceCents: query.max_price_cents,
      explain: query.explain,
    });
    return reply(200, searchView(text, results));
  },
});

function readTlds(text: string, faults: FieldError[]): string[] {
  const given = text.split(',');
  if (given.length > MAX_TLDS) {
    faults.push({ path: '/tld', message: `must name at most ${MAX_TLDS} suffixes` });
    return [];
  }
  return given.flatMap((one) => {
    const tld = parseTld(one);
    if (tld !== undefined) return [tld];
    faults.push({ path: '/tld', message: `must be suffixes such as com,co.uk: ${one} is none` });
    return [];
  });
}
