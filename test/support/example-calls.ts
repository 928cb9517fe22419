import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Examples } from '../../api/openapi/openapi-operation.ts';
import { addListing } from '../../shared/market/inventory/change-listings.ts';
import { importTlds } from '../../shared/market/tlds/import-tlds.ts';
import type { Environment } from '../../shared/platform/config/config.ts';
import { counterOffer } from '../../shared/sales/offers/offer-lifecycle.ts';
import { closePartnerPeriods } from '../../shared/settlement/statements/close-statement.ts';
import type { TestApp } from './app.ts';
import { givenOwnerOf } from './bulk.ts';
import { givenPartner, type PartnerFixture } from './factories.ts';
import { accessTokenFor } from './oauth.ts';
import { type Call, partnerCalls, publicCalls, recording } from './recorded-examples.ts';
import { deliver, givenReferredOrder } from './referrals.ts';
import { REGISTRANT } from './registrants.ts';
import { releaseDomain } from './transfers.ts';

const NOW = '2026-11-20T09:30:00.000Z';
const MARKET = [
  ['neonwallet.com', 485_000, 'Finance', 'A short name for a payments product.'],
  ['coffeecorner.com', 240_000, 'Food', 'For a coffee shop or a roastery.'],
  ['oakdeck.com', 189_000, 'Home', 'For a builder of terraces.'],
  ['vivaze.com', 931_500, 'Brands', 'A coined name.'],
  ['limeledger.com', 310_000, 'Finance', 'For a bookkeeper.'],
] as const;
/** A domain whose owner accepts offers. */
const OFFERED = 'oakdeck.com';
export const OWNED = ['neonwallet.com', 'oakdeck.com'];

/** Makes the calls that the documents show, on its own app, through `by`; the responses are the examples. */
export async function makeExampleCalls(
  app: TestApp,
  by: (call: Call) => Call = (call) => call,
): Promise<{ public: Examples; partner: Examples }> {
  await putMarketUpForSale(app, 'LIVE');
  const partner = await app.partner({ affiliate: true });
  const { call, examples } = recording(by(partnerCalls(partner.client)));
  await callPartnerApi(app, partner, call);
  return { public: await callPublicApi(app, by), partner: examples };
}

async function putMarketUpForSale(app: TestApp, environment: Environment): Promise<void> {
  app.runtime.clock.set(NOW);
  for (const [domain, priceCents, category, description] of MARKET) {
    const offersAccepted = domain === OFFERED;
    const listing = { environment, domain, priceCents, category, description, offersAccepted };
    await addListing(app.runtime, listing);
  }
}

/**
 * Calls every operation of the partner API at least once, as a new affiliate in SANDBOX: for the examples in the
 * document, the tests of the SDK, and the tests that refuse other callers.
 */
export async function callPartnerApi(
  app: TestApp,
  partner: PartnerFixture,
  call: Call,
): Promise<void> {
  await putMarketUpForSale(app, 'SANDBOX');
  await register(call);
  await discover(call);
  const order = await sell(app, call);
  await makeOffers(app, call);
  await refer(app, call, partner);
  await settle(app, call, order);
  await broker(call);
  await readEvents(call);
  await call('advanceSandboxClock', { body: { by: '1h' } });
  await call('getSandboxClock');
}

async function register(call: Call): Promise<void> {
  const body = {
    url: 'https://partner.example/hooks',
    secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3',
  };
  await call('registerEndpoint', { body });
  await call('getEndpoint');
  const { body: endpoint } = await call('createWebhookEndpoint', {
    body: {
      url: 'https://partner.example/hooks/orders',
      name: 'orders',
      event_types: ['order.*', 'transfer.completed'],
      ordering: 'per_subject',
      headers: { 'X-Tenant': 'blue' },
    },
  });
  const params = { id: endpoint.id };
  await call('listWebhookEndpoints');
  await call('getWebhookEndpoint', { params });
  await call('updateWebhookEndpoint', { params, body: { max_per_second: 20 } });
  await call('rotateSecret', { params, body: { overlap_hours: 48 } });
  await call('testWebhookEndpoint', { params });
  const { body: replay } = await call('replayEvents', {
    params,
    body: { from: '2026-11-20', to: '2026-11-21' },
  });
  await call('getReplay', { params: { id: replay.id } });
  await call('cancelReplay', { params: { id: replay.id } });
  await call('removeWebhookEndpoint', { params });
}

async function discover(call: Call): Promise<void> {
  await call('searchDomains', { query: { q: 'short coffee shop name, .com under $5,000' } });
  await call('getDomain', { params: { name: 'neonwallet.com' } });
  await call('getAvailability', { query: { domain: 'neonwallet.com' } });
  await call('getPricing', { query: { domain: 'neonwallet.com' } });
}

/** Makes offers, with the owner's answers. */
async function makeOffers(app: TestApp, call: Call): Promise<void> {
  const offer = async (email: string) => {
    const body = { domain: OFFERED, amount_cents: 120_000, buyer: { email } };
    return String((await call('createOffer', { body })).body.id);
  };
  const counter = (id: string) => counterOffer(app.runtime, null, id, 160_000);
  const first = await offer('buyer@example.com');
  await counter(first);
  await call('counterOffer', { params: { id: first }, body: { amount_cents: 140_000 } });
  await counter(first);
  await call('declineOffer', { params: { id: first } });
  const second = await offer('buyer@example.com');
  await counter(second);
  await call('acceptOffer', { params: { id: second } });
  await call('getOffer', { params: { id: second } });
  await call('listOffers', { query: { limit: 1 } });
}

async function sell(app: TestApp, call: Call): Promise<string> {
  const { body: unused } = await call('createQuote', { body: { domain: 'vivaze.com' } });
  await call('releaseQuote', { params: { quote_id: unused.quote_id } });
  const { body: quote } = await call('createQuote', { body: { domain: 'neonwallet.com' } });
  const { body: order } = await call('createOrder', {
    body: {
      domain: quote.domain,
      quote_id: quote.quote_id,
      expected_price: quote.price_cents,
      currency: quote.currency,
      buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
      external_payment_ref: 'inv-1001',
    },
  });
  await call('setRegistrant', { params: { public_id: order.public_id }, body: REGISTRANT });
  await call('listOrders', { query: { limit: 1 } });
  const { body: session } = await call('createSession', {
    body: {
      domain: 'vivaze.com',
      return_url: 'https://partner.example/thanks',
      cancel_url: 'https://partner.example/cart',
      client_reference: 'cart-1001',
    },
  });
  await call('getSession', { params: { id: session.id } });
  const { body: other } = await call('createOrder', {
    body: {
      domain: 'coffeecorner.com',
      expected_price: 240_000,
      buyer: { email: 'buyer@example.com' },
    },
  });
  const refund = { order_id: other.public_id, reason: 'requested_by_customer' };
  await call('createRefund', { body: refund });
  const { body: fetched } = await call('createOrder', {
    body: {
      domain: 'limeledger.com',
      expected_price: 310_000,
      buyer: { email: 'buyer@example.com' },
      delivery: { method: 'partner_registrar', registrar_id: 'REG-100' },
    },
  });
  await releaseDomain(app.runtime, fetched.public_id);
  await call('issueAuthCode', { params: { public_id: fetched.public_id } });
  return order.public_id;
}

async function refer(app: TestApp, call: Call, partner: PartnerFixture): Promise<void> {
  const { body: link } = await call('createLink', {
    body: { kind: 'domain', domain: 'oakdeck.com', label: 'Newsletter' },
  });
  // One sale of another partner, which earns the link a commission, and one of its own, which does not.
  const seller = await givenPartner(app.runtime);
  for (const by of [seller, partner]) {
    const sale = await givenReferredOrder(app.runtime, by, link.code, { priceCents: 189_000 });
    await deliver(app.runtime, sale.id);
  }
  await closePartnerPeriods(app.runtime, { ...seller, until: app.runtime.clock.now() });
}

async function settle(app: TestApp, call: Call, orderId: string): Promise<void> {
  const params = { public_id: orderId };
  await call('advanceOrder', { params, body: { to: 'TRANSFER_IN_PROGRESS' } });
  app.runtime.clock.advance(60_000);
  await call('advanceOrder', { params, body: { to: 'TRANSFER_COMPLETED' } });
  const { body: settled } = await call('advanceOrder', { params, body: { to: 'SETTLED' } });
  await call('getOrder', { params });
  await call('listSettlements', { query: { status: 'closed' } });
  const { body: statement } = await call('getSettlement', {
    params: { id: settled.settlement_id },
  });
  const since = { from: '2026-11-01', to: '2026-12-01' };
  await call('listTransactions', { query: { ...since, payment_model: 'merchant_of_record' } });
  const { body: paid } = await call('listPayouts', { query: since });
  await call('getPayout', { params: { id: paid.payouts[0].id } });
  await call('getDocument', { params: { id: statement.documents[0].id } });
  await call('listLinks', { query: { kind: 'domain' } });
  await call('getClicks', { query: { from: '2026-11-19', to: '2026-11-21' } });
  await call('listSales', { query: since });
  await call('listCommissions', { query: { limit: 2 } });
  await call('listReferralPayouts', { query: { currency: 'USD' } });
  await call('getAnalytics', { query: { from: '2026-11-20', to: '2026-11-21' } });
}

async function broker(call: Call): Promise<void> {
  await call('getEligibility', { query: { domain: 'wanted.com' } });
  const { body: opened } = await call('openCase', {
    body: {
      domain: 'wanted.com',
      tier: 'self_serve',
      buyer_email: 'buyer@example.com',
      budget: 500_000,
    },
  });
  await call('getCase', { params: { case_id: opened.case_id } });
  await call('listCases', { query: { status: 'OPEN' } });
}

async function readEvents(call: Call): Promise<void> {
  const { body: history } = await call('listEvents', { query: { limit: 2 } });
  await call('resendEvent', { params: { id: history.events[0].id } });
  await call('sendTest');
  const { body: log } = await call('listDeliveries', { query: { limit: 1 } });
  await call('resendDelivery', { params: { id: log.deliveries[0].id } });
  await call('removeEndpoint');
}

async function callPublicApi(app: TestApp, by: (call: Call) => Call): Promise<Examples> {
  const known = readFileSync('db/seeds/tlds.ndjson', 'utf8').split('\n');
  const few = known.filter((line) => /"tld":\s*"(com|net)"/.test(line));
  await importTlds(app.runtime, { source: Readable.from([few.join('\n')]) });
  const { call, examples } = recording(by(publicCalls(app)));
  await call('searchDomains', { body: { q: 'neonwallet', tlds: ['com', 'net'] } });
  await call('lookUpDomain', { body: { domain: 'neonwallet.com' } });
  await call('getTldPricing', { query: { tld: 'com', op: 'renew' } });
  await call('listTlds');
  await call('getTldMetadata', { params: { tld: 'com' } });
  await call('listListings', { query: { tld: 'com', limit: 2 } });
  await call('runBatch', {
    body: {
      operations: [
        { id: 'price', op: 'tld_registration_price', params: { tld: 'com' } },
        { id: 'typo', op: 'tld_price' },
      ],
    },
  });
  await call('listOperations');
  const { userId } = await givenOwnerOf(app.runtime, OWNED);
  const token = await accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
  const owner = recording(by(publicCalls(app, token)));
  await callAsOwner(owner.call);
  return { ...examples, ...owner.examples };
}

/** Calls every public API operation at least once that an owner of {@link OWNED} may call. */
export async function callAsOwner(call: Call): Promise<void> {
  await call('listOwnedDomains', { query: { limit: 1 } });
  const { body: job } = await call('startBulkJob', {
    params: { op: 'lock' },
    body: { domains: ['neonwallet.com', 'wanted.com'], params: { enabled: true } },
  });
  await call('getBulkJob', { params: { id: job.id } });
  await call('cancelBulkJob', { params: { id: job.id } });
  await call('streamBulkJob', { params: { id: job.id } });
}
