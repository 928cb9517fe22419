import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { delistListing, repriceListing } from '../../../shared/market/inventory/change-listings.ts';
import { addListings } from '../../../shared/market/inventory/import-listings.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { MAX_PRICE_CENTS } from '../../../shared/platform/money.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenListing } from '../../support/factories.ts';
import { orderBody, sell } from '../../support/sales.ts';
import type { SignedClient } from '../../support/signed-client.ts';
import { takeBack } from '../../support/take-back.ts';

describe('quotes', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ MAX_OPEN_HOLDS: '3' });
  });
  afterAll(() => app.stop());

  const quote = async (client: SignedClient, domain: string, status = 201) =>
    (await client.post('/v1/quotes', { body: { domain } }).expect(status)).body;
  const available = async (client: SignedClient, domain: string) =>
    (await client.get('/v1/availability', { query: { domain } }).expect(200)).body.available;
  const reasonOf = (body: { error: { details: { reason: string } } }) => body.error.details.reason;

  it('lock the price and hold the domain for ten minutes', async () => {
    const [mine, other] = [await app.partner(), await app.partner()];
    const listing = await givenListing(app.runtime, { priceCents: 9_900 });
    const before = app.runtime.clock.now().getTime();
    const body = await quote(mine.client, listing.domain);
    expect(body).toEqual({
      quote_id: expect.any(String),
      domain: listing.domain,
      price_cents: 9_900,
      currency: 'USD',
      expires_at: expect.any(String),
      premium: null,
    });
    const lifetime = new Date(body.expires_at).getTime() - before;
    expect(lifetime).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(lifetime).toBeLessThan(10 * MINUTE + 5_000);
    expect(await available(mine.client, listing.domain)).toBe(true);
    expect(await available(other.client, listing.domain)).toBe(false);
    expect(reasonOf(await quote(other.client, listing.domain, 409))).toBe('domain_reserved');
    const refused = await sell(other.client, listing).expect(409);
    expect(refused.body.error.details.reason).toBe('domain_reserved');
  });

  it('honor the locked price after the listing was repriced', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime, {
      domain: 'reprice-honour.com',
      priceCents: 10_000,
    });
    const { quote_id } = await quote(client, listing.domain);
    const now = await client.get('/v1/pricing', { query: { domain: listing.domain } }).expect(200);
    expect(now.body.price_cents).toBe(11_000);
    const { body } = await sell(client, listing, { more: { quote_id } }).expect(201);
    expect(body).toMatchObject({ sale_price_cents: 10_000, quote_id });
  });

  it('honor the locked price and currency after an import changed them', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime, { priceCents: 4_850_000 });
    const { quote_id } = await quote(client, listing.domain);
    await addListings(app.runtime, {
      environment: 'SANDBOX',
      listings: [{ domain: listing.domain, priceCents: 7_275_000, currency: 'JPY' }],
    });
    const inYen = { quote_id, expected_price: undefined, currency: 'JPY' };
    const refused = await sell(client, listing, { more: inYen }).expect(422);
    expect(refused.body.error.details).toEqual({ sale_price_cents: 4_850_000, currency: 'USD' });
    const { body } = await sell(client, listing, { more: { quote_id, currency: 'USD' } }).expect(
      201,
    );
    expect(body).toMatchObject({ sale_price_cents: 4_850_000, currency: 'USD', quote_id });
    const booked = await app.runtime.db
      .knex('ledger_postings as p')
      .join('ledger_entries as e', 'e.id', 'p.entry_id')
      .where('e.order_id', body.public_id)
      .distinct('p.currency');
    expect(booked).toEqual([{ currency: 'USD' }]);
  });

  it('never simulate a price increase beyond the maximum price', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime, {
      domain: 'reprice-limit.com',
      priceCents: MAX_PRICE_CENTS,
    });
    await quote(client, listing.domain);
    const now = await client.get('/v1/pricing', { query: { domain: listing.domain } }).expect(200);
    expect(now.body.price_cents).toBe(MAX_PRICE_CENTS);
  });

  it('are honored whatever the owner does to the listing, and nobody else gets the domain', async () => {
    const environment = 'LIVE';
    const [mine, other] = [await app.partner({ environment }), await app.partner({ environment })];
    const change = fc.oneof(
      fc.constant({ do: 'delist' as const }),
      fc.record({
        do: fc.constant('reprice' as const),
        priceCents: fc.integer({ min: 1, max: 9_999 }),
      }),
      fc.record({
        do: fc.constant('import' as const),
        priceCents: fc.integer({ min: 1, max: 9_999 }),
        currency: fc.constantFrom('USD', 'EUR', 'JPY'),
      }),
    );
    const price = fc.record({
      priceCents: fc.integer({ min: 1, max: 9_999 }),
      currency: fc.constantFrom('USD', 'EUR', 'JPY'),
    });
    await fc.assert(
      fc.asyncProperty(price, fc.array(change, { maxLength: 4 }), async (first, changes) => {
        const { domain } = await givenListing(app.runtime, { environment, ...first });
        const { quote_id } = await quote(mine.client, domain);
        for (const each of changes) {
          if (each.do === 'delist') await delistListing(app.runtime, { environment, domain });
          else if (each.do === 'import') {
            await addListings(app.runtime, { environment, listings: [{ domain, ...each }] });
          } else
            await repriceListing(app.runtime, { environment, domain, ...each }).catch(() => {});
        }
        const before = await app.runtime.db.knex('listings').where({ environment, domain }).first();
        const found = (await mine.client.get(`/v1/domains/${domain}`).expect(200)).body;
        expect(found.status).toBe(before.status === 'listed' ? 'held' : 'delisted');
        const body = orderBody(
          { domain, priceCents: before.price_cents },
          { currency: before.currency },
        );
        const refused = await other.client.post('/v1/orders', {
          body,
          idempotencyKey: randomUUID(),
        });
        expect(refused.status).toBe(before.status === 'listed' ? 409 : 404);

        const { body: order } = await mine.client
          .post('/v1/orders', {
            body: { quote_id, currency: first.currency, buyer: { email: 'buyer@example.com' } },
            idempotencyKey: randomUUID(),
          })
          .expect(201);
        expect(order).toMatchObject({
          domain,
          sale_price_cents: first.priceCents,
          currency: first.currency,
        });
        // A refund restores the status that the owner had set.
        await takeBack(app.runtime, order.public_id);
        const after = await app.runtime.db.knex('listings').where({ environment, domain }).first();
        expect(after.status).toBe(before.status);
        const searchable = app.runtime.db.knex('search_documents').where({ listing_id: after.id });
        expect(await searchable).toHaveLength(after.status === 'listed' ? 1 : 0);
      }),
      { numRuns: 12 },
    );
    expect(await checkLedger(app.runtime)).toMatchObject({ ok: true });
  });

  it('can replace the domain in an order, and must match it if both are sent', async () => {
    const { client } = await app.partner();
    const [listing, unrelated] = [await givenListing(app.runtime), await givenListing(app.runtime)];
    const { quote_id } = await quote(client, listing.domain);
    const other = await sell(client, unrelated, { more: { quote_id } }).expect(400);
    expect(other.body.error.details).toEqual([
      { path: '/quote_id', message: 'is a quote for another domain' },
    ]);
    const idempotencyKey = randomUUID();
    const more = { quote_id, domain: undefined };
    const { text, body } = await sell(client, listing, { idempotencyKey, more }).expect(201);
    expect(body.domain).toBe(listing.domain);
    app.runtime.clock.advance(11 * MINUTE);
    expect((await sell(client, listing, { idempotencyKey, more }).expect(201)).text).toBe(text);
    const expired = await sell(client, listing, { more }).expect(422);
    expect(expired.body.error.code).toBe('quote_expired');
    const neither = await sell(client, listing, { more: { domain: undefined } }).expect(400);
    expect(neither.body.error.details).toEqual([
      { path: '/domain', message: 'is required without a quote_id' },
    ]);
  });

  it('can replace the expected price, and are valid for one order', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime);
    const { quote_id } = await quote(client, listing.domain);
    const more = { quote_id, expected_price: undefined };
    await sell(client, listing, { more }).expect(201);
    expect(reasonOf((await sell(client, listing, { more }).expect(409)).body)).toBe('quote_used');
    await client.delete(`/v1/quotes/${quote_id}`).expect(409);
  });

  it('expire: the order is rejected and the domain is available again', async () => {
    const [mine, other] = [await app.partner(), await app.partner()];
    const listing = await givenListing(app.runtime);
    const { quote_id } = await quote(mine.client, listing.domain);
    app.runtime.clock.advance(10 * MINUTE);
    const { body } = await sell(mine.client, listing, { more: { quote_id } }).expect(422);
    expect(body.error.code).toBe('quote_expired');
    expect(await available(other.client, listing.domain)).toBe(true);
    await quote(other.client, listing.domain);
  });

  it('are replaced when the same partner quotes the domain again', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime);
    const first = await quote(client, listing.domain);
    const second = await quote(client, listing.domain);
    const dead = await sell(client, listing, { more: { quote_id: first.quote_id } }).expect(422);
    expect(dead.body.error.code).toBe('quote_expired');
    await sell(client, listing, { more: { quote_id: second.quote_id } }).expect(201);
  });

  it('can be released early, and releasing is safe to repeat', async () => {
    const [mine, other] = [await app.partner(), await app.partner()];
    const listing = await givenListing(app.runtime);
    const { quote_id } = await quote(mine.client, listing.domain);
    await other.client.delete(`/v1/quotes/${quote_id}`).expect(404);
    await mine.client.delete(`/v1/quotes/${quote_id}`).expect(204);
    await mine.client.delete(`/v1/quotes/${quote_id}`).expect(204);
    expect(await available(other.client, listing.domain)).toBe(true);
    await mine.client.delete('/v1/quotes/forged').expect(404);
  });

  it('are bound to one partner and one domain', async () => {
    const [mine, other] = [await app.partner(), await app.partner()];
    const [listing, unrelated] = [await givenListing(app.runtime), await givenListing(app.runtime)];
    const { quote_id } = await quote(mine.client, listing.domain);
    for (const [client, target] of [
      [other.client, listing],
      [mine.client, unrelated],
    ] as const) {
      const { body } = await sell(client, target, { more: { quote_id } }).expect(400);
      expect(body.error.details[0].path).toBe('/quote_id');
    }
    const tampered = `${quote_id.slice(0, -2)}xx`;
    await sell(mine.client, listing, { more: { quote_id: tampered } }).expect(400);
  });

  it('are limited to the open holds of a partner, even in parallel', async () => {
    const { client } = await app.partner();
    const listings = await Promise.all(Array.from({ length: 6 }, () => givenListing(app.runtime)));
    const answers = await Promise.all(
      listings.map(({ domain }) => client.post('/v1/quotes', { body: { domain } })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
    const refused = answers.find((answer) => answer.status === 409);
    expect(refused?.body.error.details.reason).toBe('too_many_holds');
  });

  it('return 404 for an unlisted domain and 409 for a sold one', async () => {
    const { client } = await app.partner();
    await quote(client, 'never-listed-anywhere.net', 404);
    const sold = await givenListing(app.runtime, { status: 'sold' });
    expect(reasonOf(await quote(client, sold.domain, 409))).toBe('domain_sold');
  });

  it('do not block their own partner from ordering without the quote', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime);
    await quote(client, listing.domain);
    await sell(client, listing).expect(201);
  });
});
