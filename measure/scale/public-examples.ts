import { readExamples } from '../../api/openapi/openapi-operation.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import { filled } from '../../test/support/recorded-examples.ts';
import { searchQueries } from '../support/search-queries.ts';
import type { WireRequest } from '../support/signed-request.ts';
import { type Example, nth, oneOf, RECORDED_ID } from './examples.ts';
import type { Scene } from './scene.ts';
import type { TimingClient } from './timer.ts';

interface PublicCall {
  params?: Readonly<Record<string, string | undefined>>;
  query?: Readonly<Record<string, string>>;
  body?: object;
}

type PublicExample = (
  scene: Scene,
  at: number,
  start: () => Promise<string>,
) => PublicCall | Promise<PublicCall>;

const QUERIES = searchQueries(50);

/** Calls that need more than the API document's example, or why there is none. */
const EXAMPLES: Readonly<Record<string, PublicExample | string>> = {
  searchDomains: 'asks registries',
  lookUpDomain: 'asks registries',
  getTldPricing: (_scene, at) => ({ query: { tld: 'com', op: oneOf(at, 'register', 'renew') } }),
  listListings: (_scene, at) => ({
    query: oneOf(
      at,
      {},
      { sort: 'domain', limit: '100' },
      { tld: 'com' },
      { tld: 'io' },
      { category: 'Business' },
      { offset: '10000' },
      { sort: 'price_asc', min_price_cents: '500000' },
      { q: nth(QUERIES, at) ?? '' },
    ),
  }),
  runBatch: () => ({
    body: { operations: [{ op: 'tld_registration_price', params: { tld: 'com' } }] },
  }),
  listOwnedDomains: (_scene, at) => ({ query: oneOf(at, {}, { tld: 'com' }) }),
  startBulkJob: ({ owner }) => ({
    params: { op: 'lock' },
    body: { domains: owner.domains, params: { enabled: true } },
  }),
  getBulkJob: async (_scene, _at, start) => ({ params: { id: await start() } }),
  cancelBulkJob: async (_scene, _at, start) => ({ params: { id: await start() } }),
  streamBulkJob: async (_scene, _at, start) => ({ params: { id: await start() } }),
};

/** Returns the API document's call; undefined if it has ids, which don't exist here. */
function recorded(operationId: string): PublicExample | undefined {
  const example = readExamples().public[operationId];
  if (!example || RECORDED_ID.test(JSON.stringify({ ...example, answer: null }))) return undefined;
  return () => example as PublicCall;
}

/** Returns the examples by route. */
export function publicExamples(scene: () => Scene, client: TimingClient): Example[] {
  const requestOf = (
    operationId: string,
    { params, query = {}, body }: PublicCall,
  ): WireRequest => {
    const route = publicRoutes.find((each) => each.operationId === operationId);
    if (!route) throw new Error(`no route is named ${operationId}`);
    const search = new URLSearchParams(query).toString();
    return {
      method: route.method,
      path: `/api/v1${filled(route.path, params)}${search && `?${search}`}`,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${scene().owner.token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(route.method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    };
  };
  const start = async () => {
    const lock = EXAMPLES.startBulkJob as PublicExample;
    const request = requestOf('startBulkJob', await lock(scene(), 0, start));
    return (await client.send(request)).body.id;
  };
  return publicRoutes.map(({ operationId, method }) => {
    const example = EXAMPLES[operationId] ?? recorded(operationId);
    const known = { group: 'public', name: operationId, writes: method !== 'GET' };
    if (typeof example === 'string') return { ...known, prepare: undefined, leftOut: example };
    return {
      ...known,
      prepare:
        example &&
        (async (at) => {
          const call = await example(scene(), at, start);
          return {
            list: JSON.stringify(call.query),
            request: (cursor) => {
              const { offset: _offset, ...query } = call.query ?? {};
              return requestOf(
                operationId,
                cursor === undefined ? call : { ...call, query: { ...query, cursor } },
              );
            },
          };
        }),
    };
  });
}
