import { consolePages } from '../../api/ops/console/console-router.ts';
import { opsRoutes } from '../../api/ops/ops-routes.ts';
import { sitePages } from '../../api/pages/partner/site-router.ts';
import { filled } from '../../test/support/recorded-examples.ts';
import { orderBody } from '../../test/support/sales.ts';
import { signedRequest, type WireRequest } from '../support/signed-request.ts';
import { dayBefore, type Example, nth, oneOf } from './examples.ts';
import type { Scene, Seller } from './scene.ts';
import type { TimingClient } from './timer.ts';

type Query = Readonly<Record<string, string>>;

interface Turn {
  scene: Scene;
  seller: Seller;
  at: number;
}

interface PageCall {
  params?: Readonly<Record<string, string | undefined>>;
  query?: Readonly<Record<string, string>>;
}

type PageExample = (turn: Turn) => PageCall | Promise<PageCall>;

/** A page called without parameters. */
const plain: PageExample = () => ({});

/** The start of a list, a month half a year ago, and the given filters. */
const list =
  (...filters: Readonly<Record<string, string>>[]): PageExample =>
  ({ scene, at }) => ({
    query: oneOf<Query>(
      at,
      {},
      { from: dayBefore(scene, 210), to: dayBefore(scene, 180) },
      ...filters,
    ),
  });

/** An object by an id from its table. */
const one =
  (param: string, table: string, column = 'id'): PageExample =>
  async ({ scene, at }) => ({ params: { [param]: nth(await scene.idsOf(table, column), at) } });

const ofSeller =
  (param: string, kind: keyof Seller['ids']): PageExample =>
  ({ seller, at }) => ({ params: { [param]: nth(seller.ids[kind], at) } });

const OLDEST: Readonly<Record<string, string>> = { sort: 'oldest' };
/** Filters of a list of deliveries: none, rare states, a common type, and a type that hardly occurs. */
const DELIVERIES: readonly [Query, ...Query[]] = [
  {},
  { status: 'exhausted' },
  { status: 'pending' },
  { type: 'order.*' },
  { type: 'offer.expired' },
];
const partner: PageExample = ({ seller }) => ({ params: { partner: seller.partnerId } });
const endpoint: PageExample = ({ seller, at }) => ({
  params: { endpoint: nth(seller.endpoints, at) },
});

/** A call for every console page, or why there is none. */
const CONSOLE: Readonly<Record<string, PageExample | string>> = {
  '/': ({ scene, at }) => ({
    query: oneOf(at, {}, { from: dayBefore(scene, 364), to: dayBefore(scene, 0), unit: 'week' }),
  }),
  '/search': ({ scene, seller, at }) => ({
    query: {
      q: oneOf(
        at,
        nth(scene.domains, at) ?? '',
        nth(seller.ids.orders, at) ?? '',
        `buyer${1 + at}@example.com`,
        'Partner 7',
        seller.partnerId,
        'name7',
      ),
    },
  }),
  '/review/checkouts': list({ sort: 'newest' }, { environment: 'LIVE' }),
  '/review': list({ sort: 'newest' }, { environment: 'LIVE' }),
  '/transfers': list(
    { stage: 'to_push' },
    { stage: 'under_way' },
    { stage: 'action_required' },
    { stage: 'failed' },
    { stage: 'to_confirm' },
    { stage: 'refund_to_decide' },
  ),
  '/orders': ({ scene, seller, at }) => ({
    query: oneOf(
      at,
      {},
      { from: dayBefore(scene, 210), to: dayBefore(scene, 180) },
      OLDEST,
      { status: 'SETTLED' },
      { status: 'MANUAL_REVIEW' },
      { status: 'CANCELLED' },
      { environment: 'SANDBOX' },
      { partner: seller.partnerId },
      { partner: seller.partnerId, status: 'REFUNDED', sort: 'oldest' },
    ),
  }),
  '/orders/:order': ofSeller('order', 'orders'),
  '/listings': list(
    { sort: 'z_to_a' },
    { status: 'sold' },
    { status: 'delisted' },
    { environment: 'SANDBOX' },
    { domain: 'name77.com' },
  ),
  '/listings/import': plain,
  '/listings/imports/:import': one('import', 'listing_imports'),
  '/offers': list({ status: 'EXPIRED' }, { sort: 'newest' }, { environment: 'LIVE' }),
  '/offers/:offer': ofSeller('offer', 'offers'),
  '/brokerage': list({ status: 'CLOSED_NO_DEAL' }, { sort: 'newest' }),
  '/brokerage/:case': ofSeller('case', 'brokerage_cases'),
  '/payments': list({ status: 'failed' }, { status: 'succeeded' }, OLDEST, {
    environment: 'SANDBOX',
  }),
  '/payouts': list({ status: 'paid' }, { status: 'failed' }),
  '/payouts/files': list(),
  '/repayments': list(),
  '/registry-messages': list(),
  '/refused-holds': list(),
  '/transfers-out': list(),
  '/disputes': list(),
  '/renewals': list(),
  '/legal-holds': list(),
  '/screening': list({ which: 'released' }, { which: 'declined' }),
  '/settlements': ({ seller, at }) => ({
    query: oneOf(at, {}, { status: 'paid' }, { status: 'closed' }, OLDEST, {
      partner: seller.partnerId,
    }),
  }),
  '/settlements/:id': ofSeller('id', 'settlements'),
  '/settlement-runs/:run': one('run', 'settlement_runs'),
  '/referrals': list({ state: 'paid_out' }, OLDEST),
  '/referrals/links': list(OLDEST),
  '/webhooks': list({ show: 'all' }),
  '/webhooks/:endpoint/replays': endpoint,
  '/webhooks/:environment/:partner': ({ scene, seller, at }) => ({
    params: { environment: 'LIVE', partner: seller.partnerId },
    query: oneOf<Query>(at, ...DELIVERIES, {
      from: dayBefore(scene, 40),
      to: dayBefore(scene, 30),
    }),
  }),
  '/webhooks/:endpoint': ({ seller, at }) => ({
    params: { endpoint: nth(seller.endpoints, at) },
    query: oneOf(at, {}, { status: 'exhausted' }, { type: 'order.settled' }),
  }),
  '/mail': list({ state: 'bounced' }, { state: 'sent' }, OLDEST, { email: 'buyer77@example.com' }),
  '/mail/suppressions': list(),
  '/mail/templates': plain,
  '/mail/templates/:kind': () => ({ params: { kind: 'receipt' } }),
  '/mail/:mail': 'needs a mail as the service writes it',
  '/market-search': () => ({ query: { q: 'coffee shop' } }),
  '/market-search/nothing-found': plain,
  '/partners': list({ status: 'suspended' }, OLDEST),
  '/partners/:partner': partner,
  '/partners/:partner/clock': partner,
  '/owners': list({ domain: 'owned77.com' }, { sort: 'z_to_a' }),
  '/bulk-jobs': list({ status: 'running' }, OLDEST),
  '/bulk-jobs/:job': one('job', 'bulk_jobs'),
  '/people': list({ email: 'person77@example.com' }, { role: 'ops' }, { status: 'disabled' }),
  '/people/failed-sign-ins': plain,
  '/people/:user': one('user', 'users'),
  '/ledger': plain,
  '/audit': ({ scene, seller, at }) => ({
    query: oneOf(
      at,
      {},
      { from: dayBefore(scene, 210), to: dayBefore(scene, 180) },
      { subject: nth(seller.ids.orders, at) ?? '' },
      OLDEST,
    ),
  }),
};

/** A call for every partner site page, or why there is none. */
const SITE: Readonly<Record<string, PageExample | string>> = {
  '': ({ scene, at }) => ({
    query: oneOf(at, {}, { from: dayBefore(scene, 364), to: dayBefore(scene, 0), unit: 'week' }),
  }),
  '/orders': ({ scene, at }) => ({
    query: oneOf(
      at,
      {},
      { from: dayBefore(scene, 210), to: dayBefore(scene, 180) },
      { status: 'SETTLED' },
      { status: 'MANUAL_REVIEW' },
      { status: 'CANCELLED' },
      { domain: nth(scene.domains, at) ?? '' },
    ),
  }),
  '/orders/:order': ofSeller('order', 'orders'),
  '/settlements': list({ status: 'paid' }, { status: 'closed' }),
  '/settlements/:id/lines.csv': 'as long as the statement',
  '/settlements/:id': ofSeller('id', 'settlements'),
  '/payouts': list({ status: 'failed' }),
  '/payouts/:id': ofSeller('id', 'payouts'),
  '/checkouts': list({ status: 'paid' }, { status: 'failed' }, { status: 'open' }),
  '/checkouts/:session': ofSeller('session', 'checkout_sessions'),
  '/brokerage': list({ status: 'OPEN' }, { status: 'COMPLETED' }),
  '/brokerage/:case': ofSeller('case', 'brokerage_cases'),
  '/referrals': list(),
  '/referrals/:link': ofSeller('link', 'referral_links'),
  '/webhooks': plain,
  '/webhooks/new': plain,
  '/webhooks/deliveries': ({ scene, seller, at }) => ({
    query: oneOf<Query>(
      at,
      ...DELIVERIES,
      { event: nth(seller.ids.events, at) ?? '' },
      { endpoint: nth(seller.endpoints, at) ?? '' },
      { from: dayBefore(scene, 40), to: dayBefore(scene, 30) },
    ),
  }),
  '/webhooks/:endpoint': endpoint,
  '/webhooks/:endpoint/edit': endpoint,
  '/events': list(),
  '/requests': list({ status: '4xx' }, { status: '5xx' }, { path: '/api/partner/v1/orders' }),
  '/requests/:request': ofSeller('request', 'api_requests'),
  '/clock': plain,
  '/branding': plain,
  '/delivery': plain,
  '/team': plain,
};

/** A call for every read of the operators' API, or why there is none. */
const OPS: Readonly<Record<string, PageExample | string>> = {
  '/partners': plain,
  '/partners/:partner/sandbox-clock': partner,
  '/partners/:partner/members': partner,
  '/partners/:partner/credentials': partner,
  '/review-queue': plain,
  '/checkout-reviews': plain,
  '/orders/:order': ofSeller('order', 'orders'),
  '/refunds': plain,
  '/brokerage': plain,
  '/brokerage/:case': ofSeller('case', 'brokerage_cases'),
  '/settlement-runs/:run': one('run', 'settlement_runs'),
  '/payouts': plain,
  '/payout-files': plain,
  '/payout-files/:id': 'needs a file of payouts',
  '/offers': plain,
  '/disputes': plain,
  '/repayments': plain,
  '/registry-messages': plain,
  '/refused-holds': plain,
  '/missed-renewals': plain,
  '/renewals': plain,
  '/legal-holds': plain,
  '/screening/lists': plain,
  '/screening/hits': plain,
  '/ledger/check': plain,
  '/audit/check': 'proves the whole trail',
  '/webhooks/:environment/:partner': ({ seller }) => ({
    params: { environment: 'LIVE', partner: seller.partnerId },
  }),
  '/webhooks/:environment/:partner/endpoints': ({ seller }) => ({
    params: { environment: 'LIVE', partner: seller.partnerId },
  }),
  '/webhook-replays/:replay': one('replay', 'webhook_replays'),
  '/mails': plain,
  '/mail-suppressions': plain,
  '/contacts': ({ seller }) => ({ query: { partner: seller.partnerId } }),
  '/users': plain,
  '/queues': plain,
  '/queues/dead': plain,
};

type SceneNow = () => Scene;

/** Returns examples for the console, the partner site, and the reads of the operators' API. */
export function pageExamples(scene: SceneNow): Example[] {
  return [
    ...examplesOf('console', consolePages, CONSOLE, scene, (path, { cookies }) => ({
      path: `/ops${path}`,
      headers: { cookie: cookies.staff },
    })),
    ...examplesOf('site', sitePages, SITE, scene, (path, { cookies }, { partnerId }) => ({
      path: `/partner/${partnerId}/${path === '/clock' ? 'sandbox' : 'live'}${path}`,
      headers: { cookie: cookies.member },
    })),
    ...examplesOf('ops', opsRoutes.filter(isRead), OPS, scene, (path, { staffToken }) => ({
      path: `/ops/api${path}`,
      headers: { authorization: `Bearer ${staffToken}` },
    })),
  ];
}

const isRead = ({ method }: { method: string }) => method === 'GET';

function examplesOf(
  group: string,
  pages: readonly { path: string }[],
  known: Readonly<Record<string, PageExample | string>>,
  scene: SceneNow,
  placeOf: (path: string, scene: Scene, seller: Seller) => Pick<WireRequest, 'path' | 'headers'>,
): Example[] {
  return pages.map(({ path }) => {
    const example = known[path];
    const common = { group, name: path === '' ? '/' : path, writes: false };
    if (typeof example === 'string') return { ...common, prepare: undefined, leftOut: example };
    if (!example) return { ...common, prepare: undefined };
    return {
      ...common,
      async prepare(at) {
        const now = scene();
        const seller = nth(now.sellers, at) as Seller;
        const turn = { scene: now, seller, at: Math.floor(at / now.sellers.length) };
        const { params, query = {} } = await example(turn);
        const place = placeOf(filled(path, params), now, seller);
        return {
          list: `${place.path} ${JSON.stringify(query)}`,
          request(cursor) {
            const search = new URLSearchParams(cursor === undefined ? query : { ...query, cursor });
            return {
              method: 'GET',
              path: search.size > 0 ? `${place.path}?${search}` : place.path,
              headers: {
                accept: group === 'ops' ? 'application/json' : 'text/html',
                ...place.headers,
              },
            };
          },
        };
      },
    };
  });
}

/** The operators' most common actions, on a new order. */
const ACTIONS: Readonly<Record<string, object>> = {
  'order:cancel': {},
  'order:refund': { reason: 'requested_by_customer' },
  'order:start-transfer': {},
};

/** Returns examples for some of the operators' actions. */
export function actionExamples(scene: SceneNow, client: TimingClient): Example[] {
  return opsRoutes
    .filter(({ action }) => action.name in ACTIONS)
    .map(({ method, path, action }) => ({
      group: 'ops',
      name: action.name,
      writes: true,
      async prepare(at) {
        const now = scene();
        const { keys } = nth(now.sellers, at) as Seller;
        const listing = now.take('LIVE');
        const sent = orderBody(listing, { currency: listing.currency });
        const sale = signedRequest(keys.LIVE, 'POST', '/api/partner/v1/orders', { sent });
        const order: string = (await client.send(sale)).body.public_id;
        return {
          list: '',
          request: () => ({
            method,
            path: `/ops/api${filled(path, { order })}`,
            headers: {
              authorization: `Bearer ${now.staffToken}`,
              'content-type': 'application/json',
            },
            body: JSON.stringify(ACTIONS[action.name]),
          }),
        };
      },
    }));
}
