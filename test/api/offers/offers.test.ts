import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { repriceListing } from '../../../shared/market/inventory/change-listings.ts';
import { DAY, HOUR, SECOND } from '../../../shared/platform/clock.ts';
import { cancelSession } from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import { confirmPayment } from '../../../shared/sales/checkout/pay-checkout.ts';
import {
  acceptOffer,
  eraseOfferBuyers,
  expireOffers,
} from '../../../shared/sales/offers/offer-lifecycle.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { buyerWith, CARDS, ordersOf, sendForm } from '../../support/checkout.ts';
import { givenListing } from '../../support/factories.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import type { SignedClient } from '../../support/signed-client.ts';

let app: TestApp;
let client: SignedClient;
let rival: SignedClient;
let ops: OpsClient;
beforeAll(async () => {
  app = await startTestApp();
  ({ client } = await app.partner());
  ({ client: rival } = await app.partner());
  ops = await givenOps(app);
});
afterEach(() => app.runtime.clock.reset());
afterAll(() => app.stop());

const wait = (ms: number) => app.runtime.clock.advance(ms);
const givenDomain = async (more: object = {}) =>
  (await givenListing(app.runtime, { offersAccepted: true, ...more })).domain;
const offer = (domain: string, amount_cents: number, who = client) =>
  who.post('/v1/offers', {
    body: { domain, amount_cents, buyer: { email: 'buyer@example.com', name: 'A. Buyer' } },
  });
const given = async (amount = 300_000) => {
  const domain = await givenDomain();
  return { domain, id: (await offer(domain, amount)).body.id as string };
};
/** A payment page for an accepted offer. */
const givenCheckout = async () => {
  const { domain, id } = await given();
  await ops.post(`/offers/${id}/accept`);
  const { body: accepted } = await client.get(`/v1/offers/${id}`).expect(200);
  const { body: session } = await client
    .post('/v1/checkout-session', { body: { quote_id: accepted.quote_id } })
    .expect(201);
  const { pathname, search } = new URL(session.checkout_url);
  return { domain, id, session, url: app.url + pathname + search };
};
const RELEASED = { status: 'ACCEPTED', quote_id: null, quote_expires_at: null };
const eventsOf = async (id: string) => {
  const rows = app.runtime.db.knex('events').where({ subject: id }).orderBy('position');
  return (await rows.pluck('type')) as string[];
};
const quote = (domain: string, who = rival) => who.post('/v1/quotes', { body: { domain } });

describe('an offer', () => {
  it('requires a known buyer country and treats UK as GB', async () => {
    const made = async (country: string) => {
      const buyer = { email: 'buyer@example.com', country };
      const body = { domain: await givenDomain(), amount_cents: 300_000, buyer };
      return client.post('/v1/offers', { body });
    };
    const unknown = await made('EU');
    expect([unknown.status, unknown.body.error.details[0].path]).toEqual([400, '/buyer/country']);
    const { id } = (await made('UK')).body;
    const row = await app.runtime.db.knex('offers').where({ id }).first('buyer_country');
    expect(row.buyer_country).toBe('GB');
  });

  it('is refused in another currency than the price', async () => {
    const domain = await givenDomain();
    const made = (currency: string) => {
      const buyer = { email: 'buyer@example.com' };
      return client.post('/v1/offers', {
        body: { domain, amount_cents: 300_000, currency, buyer },
      });
    };
    const refused = await made('EUR');
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toBe('/currency must be USD, the currency of the price');
    expect((await made('USD')).body).toMatchObject({ amount_cents: 300_000, currency: 'USD' });
  });

  it('can be countered and accepted by both sides, and becomes a quote for 48 hours', async () => {
    const { domain, id } = await given();
    expect((await ops.post(`/offers/${id}/counter`, { amount_cents: 420_000 })).status).toBe(200);
    const raised = await client
      .post(`/v1/offers/${id}/counter`, { body: { amount_cents: 350_000 } })
      .expect(200);
    expect(raised.body).toMatchObject({ status: 'OPEN', amount_cents: 350_000 });
    await ops.post(`/offers/${id}/counter`, { amount_cents: 400_000 });
    const { body } = await client.post(`/v1/offers/${id}/accept`).expect(200);
    expect(body).toMatchObject({ status: 'ACCEPTED', price_cents: 400_000, domain });
    const hours = (Date.parse(body.quote_expires_at) - app.runtime.clock.now().getTime()) / HOUR;
    expect(hours).toBeGreaterThan(47.9);
    expect((await quote(domain)).body.error.details.reason).toBe('domain_reserved');
    // Even quotes of the same partner do not replace it.
    expect((await quote(domain, client)).body.error.details.reason).toBe('domain_reserved');
    const sold = await client.post('/v1/orders', {
      body: { quote_id: body.quote_id, buyer: { email: 'buyer@example.com' } },
      idempotencyKey: randomUUID(),
    });
    expect(sold.body).toMatchObject({ domain, sale_price_cents: 400_000 });
    expect(await eventsOf(id)).toEqual([
      'offer.created',
      'offer.countered',
      'offer.countered',
      'offer.countered',
      'offer.accepted',
    ]);
  });

  it('can be paid on the checkout page at its price once the owner accepts it', async () => {
    const { domain, session, url } = await givenCheckout();
    expect(session.price_cents).toBe(300_000);
    await app.runtime.db.knex('listings').where({ domain }).update({ price_cents: 900_000 });
    await sendForm(url, 'pay', buyerWith(CARDS.good));
    const [order] = await ordersOf(app, session.id);
    expect(order).toMatchObject({ status: 'PAID', sale_price_cents: 300_000 });
  });

  it.each([
    ['instead of paying', false],
    ['during a payment that then fails', true],
  ])('is released if its buyer cancels the checkout %s', async (_when, pays) => {
    const { domain, id, session, url } = await givenCheckout();
    if (pays) await sendForm(url, 'pay', buyerWith(CARDS.asks));
    await cancelSession(app.runtime, session.id);
    if (pays) {
      expect((await quote(domain)).body.error.details.reason).toBe('domain_reserved');
      await confirmPayment(app.runtime, session.id, false);
    }
    expect((await quote(domain)).status).toBe(201);
    expect((await client.get(`/v1/offers/${id}`)).body).toMatchObject(RELEASED);
    const refused = await offer(domain, 310_000);
    expect(refused.body.error.details.reason).toBe('offers_closed');
    wait(7 * DAY + SECOND);
    expect((await offer(domain, 310_000)).status).toBe(201);
  });

  it('is not released by a declined card, after which its buyer can pay again', async () => {
    const { domain, url } = await givenCheckout();
    await sendForm(url, 'pay', buyerWith(CARDS.declined));
    expect((await quote(domain)).body.error.details.reason).toBe('domain_reserved');
    expect((await offer(domain, 310_000)).status).toBe(201);
  });

  it('releases the domain if it is not paid in time', async () => {
    const { domain, id } = await given();
    await ops.post(`/offers/${id}/accept`);
    wait(48 * HOUR + SECOND);
    expect((await quote(domain)).status).toBe(201);
  });

  it('loses its buyer’s data a week after the offer or its quote ended', async () => {
    const [declined, unpaid, open] = [await given(), await given(), await given()];
    await ops.post(`/offers/${declined.id}/decline`);
    await ops.post(`/offers/${unpaid.id}/accept`);
    const forgotten = async () => {
      await eraseOfferBuyers(app.runtime, 1_000);
      const ids = [declined.id, unpaid.id, open.id];
      const rows = app.runtime.db.knex('offers').whereIn('id', ids).whereNull('buyer_email');
      return (await rows.pluck('id')).sort();
    };
    wait(7 * DAY + HOUR);
    expect(await forgotten()).toEqual([declined.id]);
    wait(2 * DAY);
    expect(await forgotten()).toEqual([declined.id, unpaid.id].sort());
  });

  it('can be declined by either side, once', async () => {
    const one = await given();
    await ops.post(`/offers/${one.id}/decline`);
    expect((await client.get(`/v1/offers/${one.id}`)).body.status).toBe('DECLINED');
    const other = await given();
    const early = await client.post(`/v1/offers/${other.id}/decline`);
    expect(early.body.error.details.reason).toBe('invalid_state');
    await ops.post(`/offers/${other.id}/counter`, { amount_cents: 400_000 });
    await client.post(`/v1/offers/${other.id}/decline`).expect(200);
    expect((await client.post(`/v1/offers/${other.id}/accept`)).status).toBe(409);
  });

  it('expires after seven days without a response', async () => {
    const { id } = await given();
    wait(7 * DAY + SECOND);
    await expect(acceptOffer(app.runtime, null, id)).rejects.toMatchObject({ code: 'conflict' });
    await expireOffers(app.runtime, 1_000);
    expect((await client.get(`/v1/offers/${id}`)).body.status).toBe('EXPIRED');
    expect(await eventsOf(id)).toEqual(['offer.created', 'offer.expired']);
  });

  it.each([
    ['is sold', { status: 'sold' }],
    ['is delisted', { status: 'delisted' }],
    ['takes no more offers', { offers_accepted: false }],
  ])('expires when the domain %s, whoever has to respond', async (_what, change) => {
    const [waiting, countered, other] = [await given(), await given(), await given()];
    await ops.post(`/offers/${countered.id}/counter`, { amount_cents: 400_000 });
    const domains = [waiting.domain, countered.domain];
    await app.runtime.db.knex('listings').whereIn('domain', domains).update(change);
    expect(await expireOffers(app.runtime, 1_000)).toBe(2);
    expect(await eventsOf(waiting.id)).toEqual(['offer.created', 'offer.expired']);
    expect((await client.get(`/v1/offers/${countered.id}`)).body.status).toBe('EXPIRED');
    expect((await client.get(`/v1/offers/${other.id}`)).body.status).toBe('OPEN');
  });

  it('cannot be accepted once the domain is sold or on hold', async () => {
    const held = await given();
    await quote(held.domain);
    expect((await ops.post(`/offers/${held.id}/accept`)).body.error.details.reason).toBe(
      'domain_reserved',
    );
    const sold = await given();
    await app.runtime.db.knex('listings').where({ domain: sold.domain }).update({ status: 'sold' });
    expect((await ops.post(`/offers/${sold.id}/accept`)).body.error.details.reason).toBe(
      'domain_sold',
    );
  });

  it('cannot exceed the buy-now price, even if that was lowered later', async () => {
    const reprice = (domain: string, priceCents: number) =>
      repriceListing(app.runtime, { environment: 'SANDBOX', domain, priceCents });
    const one = await given(300_000);
    expect(
      (await ops.post(`/offers/${one.id}/counter`, { amount_cents: 485_001 })).body.error,
    ).toMatchObject({
      details: { reason: 'above_price' },
      message: expect.stringContaining('Raise its price first, or name less.'),
    });
    await reprice(one.domain, 299_999);
    const accepted = await ops.post(`/offers/${one.id}/accept`);
    expect(accepted.body.error).toMatchObject({
      details: { reason: 'above_price' },
      message: `${one.domain} costs $2,999.99, less than $3,000.00. Raise its price first, or decline the offer.`,
    });
    const other = await given(300_000);
    await ops.post(`/offers/${other.id}/counter`, { amount_cents: 400_000 });
    await reprice(other.domain, 350_000);
    for (const [answer, body] of [['accept'], ['counter', { amount_cents: 360_000 }]] as const) {
      const refused = await client.post(`/v1/offers/${other.id}/${answer}`, { body });
      expect(refused.body.error).toMatchObject({
        details: { reason: 'above_price' },
        message: expect.stringContaining('Buy it at its price, or name less.'),
      });
    }
    await reprice(other.domain, 300_000);
    const refused = await client.post(`/v1/offers/${other.id}/accept`);
    expect(refused.body.error.message).toContain('Buy it at its price, or decline the offer.');
    await reprice(other.domain, 400_000);
    await client.post(`/v1/offers/${other.id}/accept`).expect(200);
  });

  it.each([
    ['at the buy-now price', {}, 485_000, 400],
    ['below the lowest published price', { floorPriceCents: 200_000 }, 199_999, 400],
    ['where none are taken', { offersAccepted: false }, 300_000, 409],
    ['for a domain that was sold', { status: 'sold' }, 300_000, 409],
    ['for one that is not listed', { status: 'delisted' }, 300_000, 404],
  ])('is rejected %s', async (_what, listing, amount, status) => {
    expect((await offer(await givenDomain(listing), amount)).status).toBe(status);
  });

  it('is rejected while the buyer has another open offer for the domain', async () => {
    const { domain } = await given();
    expect((await offer(domain, 310_000)).body.error.details.reason).toBe('open_offer');
  });

  it('requires the buy or embed scope', async () => {
    const domain = await givenDomain();
    const embedding = await app.partner({ scopes: ['embed'] });
    expect((await offer(domain, 300_000, embedding.client)).status).toBe(201);
    const searching = await app.partner({ scopes: ['search'] });
    expect((await offer(domain, 300_000, searching.client)).status).toBe(403);
  });
});

describe('the private floor of a listing', () => {
  const FLOOR = 345_679;

  it('accepts offers at or above it immediately, and is never revealed', async () => {
    const domain = await givenDomain();
    const set = await ops.post(`/listings/SANDBOX/${domain}/offer-floor`, {
      floor_cents: FLOOR,
    });
    expect(set.body).toEqual({ domain, environment: 'SANDBOX', accepts_at_once: true });
    const below = await offer(domain, 300_000);
    expect(below.body.status).toBe('OPEN');
    const answers = [below.text];
    await ops.post(`/offers/${below.body.id}/counter`, { amount_cents: 400_000 });
    const raised = await client
      .post(`/v1/offers/${below.body.id}/counter`, { body: { amount_cents: 350_000 } })
      .expect(200);
    expect(raised.body).toMatchObject({ status: 'ACCEPTED', price_cents: 350_000 });
    answers.push(raised.text);
    // While the domain is held, an offer above the floor waits like any other.
    const waiting = await offer(domain, 360_000, rival);
    expect(waiting.body.status).toBe('OPEN');
    for (const path of ['/v1/offers', `/v1/domains/${domain}`, '/v1/events']) {
      answers.push((await client.get(path).expect(200)).text);
    }
    for (const text of [...answers, waiting.text, set.text]) {
      expect(text).not.toMatch(new RegExp(`${FLOOR}|3,?456\\.79`));
    }
  });

  it('accepts one offer per partner in 30 days; others wait, whatever the amount', async () => {
    const domain = await givenDomain();
    await ops.post(`/listings/SANDBOX/${domain}/offer-floor`, { floor_cents: FLOOR });
    const first = await offer(domain, 400_000);
    expect(first.body.status).toBe('ACCEPTED');
    const released = await client.delete(`/v1/quotes/${first.body.quote_id}`);
    expect(released.status).toBe(204);
    const { body: read } = await client.get(`/v1/offers/${first.body.id}`).expect(200);
    expect(read).toMatchObject(RELEASED);
    const query = { status: 'ACCEPTED', limit: 100 };
    const list = await client.get('/v1/offers', { query }).expect(200);
    expect(list.body.offers).toContainEqual(read);
    const closed = await offer(domain, 380_000);
    expect(closed.body.error).toMatchObject({
      code: 'conflict',
      details: { reason: 'offers_closed' },
      message: expect.stringContaining('You released an accepted offer'),
    });
    // Other partners are not affected.
    expect((await offer(domain, 300_000, rival)).body.status).toBe('OPEN');
    wait(7 * DAY + SECOND);
    expect((await offer(domain, 380_000)).body.status).toBe('OPEN');
    wait(23 * DAY);
    const again = { email: 'another@example.com' };
    const body = { domain, amount_cents: 380_000, buyer: again };
    expect((await client.post('/v1/offers', { body })).body.status).toBe('ACCEPTED');
  });

  it('cannot be probed more than three times a day', async () => {
    const domain = await givenDomain();
    const ask = (buyer: string) =>
      client.post('/v1/offers', {
        body: { domain, amount_cents: 300_000, buyer: { email: `${buyer}@example.com` } },
      });
    for (const buyer of ['one', 'two', 'three']) expect((await ask(buyer)).status).toBe(201);
    const refused = await ask('four');
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    const seconds = Number(refused.headers.get('Retry-After'));
    expect(seconds).toBeGreaterThan(23 * 3_600);
    expect((await offer(await givenDomain(), 300_000)).status).toBe(201);
    wait(seconds * SECOND);
    expect((await ask('four')).status).toBe(201);
  });

  it('is not revealed by a rejection if the partner has no holds left', async () => {
    const { client: full } = await app.partner();
    for (let held = 0; held < app.runtime.config.maxOpenHolds; held += 1) {
      await quote((await givenListing(app.runtime)).domain, full);
    }
    const domain = await givenDomain();
    await ops.post(`/listings/SANDBOX/${domain}/offer-floor`, { floor_cents: FLOOR });
    expect((await offer(domain, 400_000, full)).body).toMatchObject({ status: 'OPEN' });
  });
});
