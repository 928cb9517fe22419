import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { MAX_PRICE_CENTS } from '../../../shared/platform/money.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenListing } from '../../support/factories.ts';
import { sell } from '../../support/sales.ts';
import type { SignedClient } from '../../support/signed-client.ts';

describe('quotes', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ MAX_OPEN_HOLDS: '3' });
  });
  afterAll(() => app.stop());

  const quote = async (client: SignedClient, domain: string, status = 201) =>
    (await client.post('/v1/quotes', { body: { domain }, expect: status })).body;
  const available = async (client: SignedClient, domain: string) =>
    (await client.get('/v1/availability', { query: { domain }, expect: 200 })).body.available;
  const reasonOf = (body: { error: { details: { reason: string } } }) => body.error.details.reason;

  it('locks the price and holds the domain for ten minutes', async () => {
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
    });
    const lifetime = new Date(body.expires_at).getTime() - before;
    expect(lifetime).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(lifetime).toBeLessThan(10 * MINUTE + 5_000);
    expect(await available(mine.client, listing.domain)).toBe(true);
    expect(await available(other.client, listing.domain)).toBe(false);
    expect(reasonOf(await quote(other.client, listing.domain, 409))).toBe('domain_reserved');
    const refused = await sell(other.client, listing, { expect: 409 });
    expect(refused.body.error.details.reason).toBe('domain_reserved');
  });

  it('honours the locked price after the listing was re-priced', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime, {
      domain: 'reprice-honour.com',
      priceCents: 10_000,
    });
    const { quote_id } = await quote(client, listing.domain);
    const now = await client.get('/v1/pricing', { query: { domain: listing.domain }, expect: 200 });
    expect(now.body.price_cents).toBe(11_000);
    const { body } = await sell(client, listing, { more: { quote_id }, expect: 201 });
    expect(body).toMatchObject({ sale_price_cents: 10_000, quote_id });
  });

  it('never lifts a price out of what the service can count', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime, {
      domain: 'reprice-limit.com',
      priceCents: MAX_PRICE_CENTS,
    });
    await quote(client, listing.domain);
    const now = await client.get('/v1/pricing', { query: { domain: listing.domain }, expect: 200 });
    expect(now.body.price_cents).toBe(MAX_PRICE_CENTS);
  });

  it('may stand in for the expected price, and is good for one order', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime);
    const { quote_id } = await quote(client, listing.domain);
    const more = { quote_id, expected_price: undefined };
    await sell(client, listing, { more, expect: 201 });
    expect(reasonOf((await sell(client, listing, { more, expect: 409 })).body)).toBe('quote_used');
    await client.delete(`/v1/quotes/${quote_id}`, { expect: 409 });
  });

  it('expires: the order is refused and the domain is free again', async () => {
    const [mine, other] = [await app.partner(), await app.partner()];
    const listing = await givenListing(app.runtime);
    const { quote_id } = await quote(mine.client, listing.domain);
    app.runtime.clock.advance(10 * MINUTE);
    const { body } = await sell(mine.client, listing, { more: { quote_id }, expect: 422 });
    expect(body.error.code).toBe('quote_expired');
    expect(await available(other.client, listing.domain)).toBe(true);
    await quote(other.client, listing.domain);
  });

  it('gives the same partner a new quote, and the old one dies', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime);
    const first = await quote(client, listing.domain);
    const second = await quote(client, listing.domain);
    const dead = await sell(client, listing, { more: { quote_id: first.quote_id }, expect: 422 });
    expect(dead.body.error.code).toBe('quote_expired');
    await sell(client, listing, { more: { quote_id: second.quote_id }, expect: 201 });
  });

  it('is released early, as often as one likes', async () => {
    const [mine, other] = [await app.partner(), await app.partner()];
    const listing = await givenListing(app.runtime);
    const { quote_id } = await quote(mine.client, listing.domain);
    await other.client.delete(`/v1/quotes/${quote_id}`, { expect: 404 });
    await mine.client.delete(`/v1/quotes/${quote_id}`, { expect: 204 });
    await mine.client.delete(`/v1/quotes/${quote_id}`, { expect: 204 });
    expect(await available(other.client, listing.domain)).toBe(true);
    await mine.client.delete('/v1/quotes/forged', { expect: 404 });
  });

  it('belongs to one partner and one domain', async () => {
    const [mine, other] = [await app.partner(), await app.partner()];
    const [listing, unrelated] = [await givenListing(app.runtime), await givenListing(app.runtime)];
    const { quote_id } = await quote(mine.client, listing.domain);
    for (const [client, target] of [
      [other.client, listing],
      [mine.client, unrelated],
    ] as const) {
      const { body } = await sell(client, target, { more: { quote_id }, expect: 400 });
      expect(body.error.details[0].path).toBe('/quote_id');
    }
    const tampered = `${quote_id.slice(0, -2)}xx`;
    await sell(mine.client, listing, { more: { quote_id: tampered }, expect: 400 });
  });

  it('bounds the holds of a partner, also when it asks in parallel', async () => {
    const { client } = await app.partner();
    const listings = await Promise.all(Array.from({ length: 6 }, () => givenListing(app.runtime)));
    const answers = await Promise.all(
      listings.map(({ domain }) => client.post('/v1/quotes', { body: { domain } })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
    const refused = answers.find((answer) => answer.status === 409);
    expect(refused?.body.error.details.reason).toBe('too_many_holds');
  });

  it('answers 404 for what is not listed and 409 for what is sold', async () => {
    const { client } = await app.partner();
    await quote(client, 'never-listed-anywhere.net', 404);
    const sold = await givenListing(app.runtime, { status: 'sold' });
    expect(reasonOf(await quote(client, sold.domain, 409))).toBe('domain_sold');
  });

  it('does not stand in the way of its own partner who orders without it', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime);
    await quote(client, listing.domain);
    await sell(client, listing, { expect: 201 });
  });
});
