import { readExamples } from '../../api/openapi/openapi-operation.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import type { Environment } from '../../shared/platform/config/config.ts';
import { counterOffer } from '../../shared/sales/offers/offer-lifecycle.ts';
import { unlistedDomain } from '../../test/support/brokerage.ts';
import { givenPartner } from '../../test/support/factories.ts';
import { filled } from '../../test/support/recorded-examples.ts';
import { REGISTRANT } from '../../test/support/registrants.ts';
import { orderBody } from '../../test/support/sales.ts';
import { releaseDomain } from '../../test/support/transfers.ts';
import { searchQueries } from '../support/search-queries.ts';
import { signedRequest } from '../support/signed-request.ts';
import { dayBefore, type Example, nth, oneOf, type Prepared, RECORDED_ID } from './examples.ts';
import type { Listing, Scene, Seller } from './scene.ts';
import type { TimingClient } from './timer.ts';

/** The arguments of a call to the partner API. */
interface PartnerCall {
  /** The partner that calls; the current seller if left out. */
  by?: Seller;
  in?: Environment;
  params?: Readonly<Record<string, string | undefined>>;
  query?: Readonly<Record<string, string>>;
  body?: object;
  /** Reverts what the call changed. */
  after?(answer: { body: Record<string, string> }): Promise<unknown>;
}

/** What an example is created from: the current seller, and the round. */
interface Turn {
  scene: Scene;
  seller: Seller;
  at: number;
  /** Makes a preparatory call as the partner, which isn't timed. */
  // biome-ignore lint/suspicious/noExplicitAny: examples read answers field by field
  call(operationId: string, call: PartnerCall): Promise<any>;
}

type PartnerExample = (turn: Turn) => PartnerCall | Promise<PartnerCall>;

const orderOf = (listing: Listing) => orderBody(listing, { currency: listing.currency });
const offerOn = ({ domain, priceCents }: Listing) => ({
  domain,
  amount_cents: Math.ceil(priceCents / 2),
  buyer: { email: 'buyer@example.com' },
});
const HOOK = { url: 'https://partner.example/hooks' };
const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';

/** Creates an offer that the owner has countered, so that the buyer can respond. */
async function givenCounter({ scene, call }: Turn, listing = scene.take('LIVE')): Promise<string> {
  const { id } = await call('createOffer', { body: offerOn(listing) });
  await counterOffer(scene.runtime, null, id, Math.ceil(listing.priceCents * 0.9));
  return id;
}

/** Deletes an endpoint after the call. */
const forAWhile =
  ({ call, seller: by }: Turn, id: string) =>
  () =>
    call('removeWebhookEndpoint', { by, params: { id } });

async function givenReplay({ call, seller: { endpointId }, scene }: Turn): Promise<string> {
  const [from, to] = [dayBefore(scene, 2), dayBefore(scene, 1)];
  return (await call('replayEvents', { params: { id: endpointId }, body: { from, to } })).id;
}

const inSandbox = (call: PartnerCall): PartnerCall => ({ ...call, in: 'SANDBOX' });

/** Calls that need more than {@link recorded} provides. Lists go on with the cursor of the previous page. */
const EXAMPLES: Readonly<Record<string, PartnerExample>> = {
  searchDomains: ({ at }) => ({ query: { q: nth(QUERIES, at) ?? '' } }),
  getDomain: ({ scene, at }) => ({ params: { name: nth(scene.domains, at) } }),
  getAvailability: ({ scene, at }) => ({ query: { domain: nth(scene.domains, at) ?? '' } }),
  async releaseQuote({ scene, call }) {
    const { quote_id } = await call('createQuote', { body: { domain: scene.take('LIVE').domain } });
    return { params: { quote_id } };
  },
  createOrder: ({ scene }) => ({ body: orderOf(scene.take('LIVE')) }),
  listOrders: ({ scene, seller, at }) => ({
    query: oneOf(
      at,
      {},
      { status: 'SETTLED', limit: '100' },
      { status: 'MANUAL_REVIEW' },
      { to: dayBefore(scene, 180), limit: '100' },
      { from: dayBefore(scene, 200), to: dayBefore(scene, 199) },
      { domain: nth(scene.domains, at) ?? '' },
    ),
    by: seller,
  }),
  async setRegistrant({ scene, call }) {
    const { public_id } = await call('createOrder', { body: orderOf(scene.take('LIVE')) });
    return { params: { public_id }, body: REGISTRANT };
  },
  async createRefund({ scene, call }) {
    const { public_id } = await call('createOrder', { body: orderOf(scene.take('LIVE')) });
    return { body: { order_id: public_id, reason: 'requested_by_customer' } };
  },
  async issueAuthCode({ scene, call }) {
    const delivery = { method: 'partner_registrar' };
    const body = { ...orderOf(scene.take('SANDBOX')), delivery };
    const { public_id } = await call('createOrder', inSandbox({ body }));
    await releaseDomain(scene.runtime, public_id);
    return inSandbox({ params: { public_id } });
  },
  createOffer: ({ scene }) => ({ body: offerOn(scene.take('LIVE')) }),
  listOffers: ({ at }) => ({
    query: oneOf(at, {}, { status: 'EXPIRED', limit: '100' }, { status: 'OPEN' }),
  }),
  acceptOffer: async (turn) => ({ params: { id: await givenCounter(turn) } }),
  async counterOffer(turn) {
    const listing = turn.scene.take('LIVE');
    const id = await givenCounter(turn, listing);
    return { params: { id }, body: { amount_cents: Math.ceil(listing.priceCents * 0.7) } };
  },
  declineOffer: async (turn) => ({ params: { id: await givenCounter(turn) } }),
  createSession: ({ scene }) => ({ body: { domain: scene.take('LIVE').domain } }),
  async advanceOrder({ scene, call }) {
    const order = inSandbox({ body: orderOf(scene.take('SANDBOX')) });
    const { public_id } = await call('createOrder', order);
    return inSandbox({ params: { public_id }, body: { to: 'TRANSFER_IN_PROGRESS' } });
  },
  getSandboxClock: () => inSandbox({}),
  async advanceSandboxClock({ scene, seller }) {
    // A clock that is still moving can't be moved again, so each call uses a new partner.
    const keys = await givenPartner(scene.runtime);
    return inSandbox({
      by: { ...seller, keys: { ...seller.keys, SANDBOX: keys } },
      body: { by: '1h' },
    });
  },
  listSettlements: ({ scene, at }) => ({
    query: oneOf(at, {}, { status: 'paid' }, { to: dayBefore(scene, 180) }),
  }),
  getSettlement: ({ seller, at }) => ({
    params: { id: nth(seller.ids.settlements, at) },
    query: oneOf(at, {}, { limit: '100' }),
  }),
  listTransactions: ({ scene, at }) => ({
    query: oneOf(
      at,
      {},
      { payment_model: 'hosted_checkout', limit: '100' },
      { from: dayBefore(scene, 365), to: dayBefore(scene, 180), limit: '100' },
      { status: 'REFUNDED' },
    ),
  }),
  listPayouts: ({ scene, at }) => ({ query: oneOf(at, {}, { from: dayBefore(scene, 365) }) }),
  getEligibility: () => inSandbox({ query: { domain: unlistedDomain() } }),
  openCase: () =>
    inSandbox({
      body: {
        domain: unlistedDomain(),
        tier: 'self_serve',
        buyer_email: 'buyer@example.com',
        budget: 500_000,
      },
    }),
  listCases: ({ scene, at }) => ({
    query: oneOf(at, {}, { status: 'OPEN' }, { to: dayBefore(scene, 180), limit: '100' }),
  }),
  createLink: () => ({ body: { kind: 'generic', label: 'Newsletter' } }),
  listLinks: ({ at }) => ({ query: oneOf(at, {}, { kind: 'domain' }) }),
  getClicks: ({ scene, at }) => ({
    query: oneOf(at, {}, { from: dayBefore(scene, 365), interval: 'week' }),
  }),
  listSales: ({ scene, seller, at }) => ({
    query: oneOf(
      at,
      {},
      { to: dayBefore(scene, 180), limit: '100' },
      { link_id: nth(seller.ids.referral_links, at) ?? '' },
    ),
  }),
  listCommissions: ({ scene, at }) => ({
    query: oneOf(at, {}, { type: 'accrued' }, { to: dayBefore(scene, 180), limit: '100' }),
  }),
  getAnalytics: ({ scene, at }) => ({
    query: oneOf(at, {}, { from: dayBefore(scene, 360), interval: 'month' }),
  }),
  listEvents: ({ seller, at }) => ({
    query: oneOf(at, {}, { after_id: nth(seller.ids.events, at) ?? '', limit: '100' }),
  }),
  createWebhookEndpoint: (turn) => ({
    body: HOOK,
    after: ({ body }) => forAWhile(turn, body.id ?? '')(),
  }),
  updateWebhookEndpoint: ({ seller, at }) => ({
    params: { id: seller.endpointId },
    body: { max_per_second: 20 + (at % 10) },
  }),
  async removeWebhookEndpoint({ call }) {
    return { params: { id: (await call('createWebhookEndpoint', { body: HOOK })).id } };
  },
  rotateSecret: ({ seller }) => ({ params: { id: seller.endpointId }, body: { overlap_hours: 1 } }),
  replayEvents: ({ scene, seller, call }) => ({
    params: { id: seller.endpointId },
    body: { from: dayBefore(scene, 40), to: dayBefore(scene, 10) },
    after: ({ body }) => call('cancelReplay', { by: seller, params: { id: body.id } }),
  }),
  async getReplay(turn) {
    const id = await givenReplay(turn);
    return { params: { id }, after: () => turn.call('cancelReplay', { params: { id } }) };
  },
  cancelReplay: async (turn) => ({ params: { id: await givenReplay(turn) } }),
  registerEndpoint: ({ scene }) => ({ by: scene.other, body: { ...HOOK, secret: SECRET } }),
  async removeEndpoint({ scene, call }) {
    await call('registerEndpoint', { by: scene.other, body: { ...HOOK, secret: SECRET } });
    return { by: scene.other };
  },
  listDeliveries: ({ scene, seller, at }) => ({
    query: oneOf(
      at,
      {},
      { status: 'exhausted', limit: '100' },
      { status: 'pending' },
      { event_type: 'order.*' },
      { event_type: 'offer.expired' },
      { event_id: nth(seller.ids.events, at) ?? '' },
      { endpoint_id: nth(seller.endpoints, at) ?? '' },
      { to: dayBefore(scene, 45), limit: '100' },
    ),
  }),
};

const QUERIES = searchQueries(200);

const RECORDED = readExamples().partner;
const EVERY_ID = new RegExp(RECORDED_ID, 'g');
/** The seller's ids by their prefix. */
const IDS: Readonly<Record<string, (seller: Seller) => readonly string[]>> = {
  brk: ({ ids }) => ids.brokerage_cases,
  cks: ({ ids }) => ids.checkout_sessions,
  dlv: ({ ids }) => ids.webhook_deliveries,
  doc: ({ ids }) => ids.documents,
  evt: ({ ids }) => ids.events,
  ofr: ({ ids }) => ids.offers,
  ord: ({ ids }) => ids.orders,
  pay: ({ ids }) => ids.payouts,
  stl: ({ ids }) => ids.settlements,
  whe: ({ endpointId }) => [endpointId],
};

/** Returns the API document's call with the seller's ids and a name for sale; undefined for unknown kinds of ids. */
function recorded(operationId: string): PartnerExample | undefined {
  const { params, query, body } = RECORDED[operationId] ?? {};
  const text = JSON.stringify({ params, query, body });
  const isKnown = [...text.matchAll(EVERY_ID)].every(([, kind = '']) => IDS[kind]);
  if (!RECORDED[operationId] || !isKnown) return undefined;
  return ({ scene, seller, at }) => {
    const idOf = (_: string, kind: string) => nth(IDS[kind]?.(seller) ?? [], at) ?? '';
    const call = JSON.parse(text.replaceAll(EVERY_ID, idOf));
    for (const named of [call.query, call.body]) {
      if (named?.domain) named.domain = scene.take('LIVE').domain;
    }
    return call;
  };
}

/** Returns the examples by route. */
export function partnerExamples(scene: () => Scene, client: TimingClient): Example[] {
  const requestOf = (operationId: string, seller: Seller, call: PartnerCall) => {
    const route = partnerRoutes.find((each) => each.operationId === operationId);
    if (!route) throw new Error(`no route is named ${operationId}`);
    const path = `/api/partner${filled(route.path, call.params)}`;
    const { keys } = call.by ?? seller;
    const { query = {}, body: sent } = call;
    return signedRequest(keys[call.in ?? 'LIVE'], route.method, path, { query, sent });
  };
  return partnerRoutes.map(({ operationId, method }) => {
    const example = EXAMPLES[operationId] ?? recorded(operationId);
    return {
      group: 'partner',
      name: operationId,
      writes: method !== 'GET',
      prepare: example && ((at) => prepare(operationId, example, at)),
    };
  });

  async function prepare(
    operationId: string,
    example: PartnerExample,
    at: number,
  ): Promise<Prepared> {
    const now = scene();
    const seller = nth(now.sellers, at) as Seller;
    const turn: Turn = {
      scene: now,
      seller,
      at: Math.floor(at / now.sellers.length),
      call: async (name, call) => (await client.send(requestOf(name, seller, call))).body,
    };
    const call = await example(turn);
    return {
      list: `${seller.partnerId} ${JSON.stringify(call.query)} ${JSON.stringify(call.params)}`,
      request: (cursor) =>
        requestOf(
          operationId,
          seller,
          cursor === undefined ? call : { ...call, query: { ...call.query, cursor } },
        ),
      after: call.after,
    };
  }
}
