import { createRandom } from '../../db/seeds/random.ts';
import { orderBody } from '../../test/support/sales.ts';
import { searchQueries } from '../support/search-queries.ts';
import { signedRequest, type WireRequest } from '../support/signed-request.ts';
import type { Listing, LoadedMarketplace } from './marketplace.ts';

const QUERIES = 400;

/** One kind of request of the mix. */
export interface RequestKind {
  /** Per hundred requests. */
  share: number;
  name: string;
  make(): WireRequest;
}

/**
 * Returns the requests of a marketplace's users: shops that search, view and sometimes sell; partners' back offices
 * that read orders, history and reports; the public; monitoring.
 */
export function requestKinds({ partners, listings }: LoadedMarketplace): RequestKind[] {
  const random = createRandom(20);
  const queries = searchQueries(QUERIES);
  let sold = 0;
  const anyListing = (): Listing => random.pick(listings);
  // Suffixes that require nothing of registrants beyond an address.
  const sellable = listings.filter(({ domain }) => /\.(com|net|org)$/.test(domain));
  const get = (path: string, query: Record<string, string> = {}) =>
    signedRequest(random.pick(partners), 'GET', `/api/partner${path}`, { query });
  const post = (path: string, sent: object) =>
    signedRequest(random.pick(partners), 'POST', `/api/partner${path}`, { sent });
  const plain = (path: string): WireRequest => ({ method: 'GET', path, headers: {} });

  const kinds: readonly [share: number, name: string, make: () => WireRequest][] = [
    [24, 'search', () => get('/v1/domains/search', { q: random.pick(queries) })],
    [16, 'availability', () => get('/v1/availability', { domain: anyListing().domain })],
    [12, 'details of a domain', () => get(`/v1/domains/${anyListing().domain}`)],
    [6, 'quote', () => post('/v1/quotes', { domain: anyListing().domain })],
    [
      4,
      'order',
      () => {
        // Each name once, from the end of the list, which other requests are unlikely to reserve.
        const listing = sellable[sellable.length - 1 - (sold++ % sellable.length)] as Listing;
        return post('/v1/orders', {
          ...orderBody(listing),
          currency: listing.currency,
        });
      },
    ],
    [10, 'orders', () => get('/v1/orders', { limit: '25' })],
    [6, 'events', () => get('/v1/events', { limit: '50' })],
    [3, 'transactions', () => get('/v1/transactions', { limit: '25' })],
    [2, 'settlements', () => get('/v1/settlements')],
    [9, 'public listings', () => plain(`/api/market/listings?limit=20`)],
    [6, 'price of a TLD', () => plain('/api/pricing/tld?tld=com')],
    [2, '/readyz', () => plain('/readyz')],
  ];
  return kinds.map(([share, name, make]) => ({ share, name, make }));
}

/** Returns a generator of requests, each kind at its share. */
export function createRequestMix(kinds: readonly RequestKind[]): () => WireRequest {
  const random = createRandom(21);
  const whole = kinds.reduce((sum, { share }) => sum + share, 0);
  return () => {
    let left = random.next() * whole;
    for (const { share, make } of kinds) {
      left -= share;
      if (left < 0) return make();
    }
    throw new RangeError('the shares do not add up');
  };
}
