import { randomUUID } from 'node:crypto';
import { createRandom } from '../../db/seeds/random.ts';
import {
  canonicalString,
  computeSignature,
} from '../../shared/people/partners/request-signature.ts';
import { searchQueries } from '../bench/support/search-queries.ts';
import { orderBody } from '../support/sales.ts';
import type { KeyPair } from '../support/signed-client.ts';
import type { Listing, LoadedMarketplace } from './marketplace.ts';

/** One request as it goes over the wire. */
export interface WireRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

const QUERIES = 400;

/**
 * What the users of a marketplace ask of it, with the share of each in a hundred: shops that search and look, some of
 * which sell; partners' back offices that read orders, history and reports; the public; machines that watch.
 */
export function createRequestMix({ partners, listings }: LoadedMarketplace): () => WireRequest {
  const random = createRandom(20);
  const queries = searchQueries(QUERIES);
  let sold = 0;
  const anyListing = (): Listing => random.pick(listings);
  const signed = (method: 'GET' | 'POST', path: string, query = '', sent?: object) =>
    sign(random.pick(partners), method, `/api/partner${path}`, query, sent);
  const plain = (path: string): WireRequest => ({ method: 'GET', path, headers: {} });

  const mix: readonly [share: number, make: () => WireRequest][] = [
    [24, () => signed('GET', '/v1/domains/search', encode({ q: random.pick(queries) }))],
    [16, () => signed('GET', '/v1/availability', encode({ domain: anyListing().domain }))],
    [12, () => signed('GET', `/v1/domains/${anyListing().domain}`)],
    [6, () => signed('POST', '/v1/quotes', '', { domain: anyListing().domain })],
    [
      4,
      () => {
        // Each name once: from the end of the list, which nobody else is likely to have reserved.
        const listing = listings[listings.length - 1 - (sold++ % listings.length)] as Listing;
        return signed('POST', '/v1/orders', '', {
          ...orderBody(listing),
          currency: listing.currency,
        });
      },
    ],
    [10, () => signed('GET', '/v1/orders', encode({ limit: '25' }))],
    [6, () => signed('GET', '/v1/events', encode({ limit: '50' }))],
    [3, () => signed('GET', '/v1/transactions', encode({ limit: '25' }))],
    [2, () => signed('GET', '/v1/settlements')],
    [9, () => plain(`/api/market/listings?limit=20`)],
    [6, () => plain('/api/pricing/tld?tld=com')],
    [2, () => plain('/readyz')],
  ];
  const whole = mix.reduce((sum, [share]) => sum + share, 0);
  return () => {
    let left = random.next() * whole;
    for (const [share, make] of mix) {
      left -= share;
      if (left < 0) return make();
    }
    throw new RangeError('the shares do not add up');
  };
}

const encode = (query: Record<string, string>) => new URLSearchParams(query).toString();

function sign(
  { keyId, secret }: KeyPair,
  method: 'GET' | 'POST',
  path: string,
  query: string,
  sent?: object,
): WireRequest {
  const body = sent === undefined ? '' : JSON.stringify(sent);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const nonce = randomUUID();
  const parts = { method, path, query, timestamp, nonce, body: Buffer.from(body) };
  return {
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: {
      'x-service-key-id': keyId,
      'x-service-timestamp': timestamp,
      'x-service-nonce': nonce,
      'x-service-signature': `v1=${computeSignature(secret, canonicalString(parts))}`,
      ...(body !== '' && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    },
    ...(body !== '' && { body }),
  };
}
