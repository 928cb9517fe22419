import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { buyerWith, CARDS, givenSession, ordersOf, sendForm } from '../../support/checkout.ts';
import { givenListing } from '../../support/factories.ts';
import type { SignedClient } from '../../support/signed-client.ts';

describe('checkout sessions', () => {
  let app: TestApp;
  let client: SignedClient;
  beforeAll(async () => {
    app = await startTestApp();
    ({ client } = await app.partner());
  });
  afterAll(() => app.stop());

  const create = (body: object) => client.post('/v1/checkout-session', { body });

  it('are created with a link that is valid for seven days', async () => {
    const listing = await givenListing(app.runtime);
    const { status, body } = await create({ domain: ` ${listing.domain.toUpperCase()}. ` });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^cks_[0-9a-z]{26}$/),
      checkout_url: expect.stringMatching(
        /^http:\/\/localhost:3000\/checkout\/cks_\w+\?pt=[\w.-]+$/,
      ),
      domain: listing.domain,
      price_cents: 485_000,
      currency: 'USD',
      status: 'open',
      expires_at: expect.any(String),
    });
    expect(body.checkout_url).toContain(body.id);
    const days = (Date.parse(body.expires_at) - app.runtime.clock.now().getTime()) / 86_400_000;
    expect(days).toBeGreaterThan(6.99);
    expect(days).toBeLessThanOrEqual(7);
  });

  it('can be read before and after payment', async () => {
    const session = await givenSession(app, client, {}, { client_reference: 'cart-7' });
    const path = `/v1/checkout-session/${session.id}`;
    const before = (await client.get(path).expect(200)).body;
    expect(before).toMatchObject({
      id: session.id,
      status: 'open',
      order_id: null,
      client_reference: 'cart-7',
      return_url: 'https://partner.example/thanks?cart=1',
      environment: 'SANDBOX',
    });
    await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    const after = (await client.get(path).expect(200)).body;
    const [order] = await ordersOf(app, session.id);
    expect(after).toMatchObject({
      status: 'paid',
      order_id: order?.id,
      buyer_email: 'buyer@example.com',
      price_cents: 485_000,
    });
  });

  it('show the first price for a day, then the current one, and the first one once expired', async () => {
    const session = await givenSession(app, client);
    const read = async () =>
      (await client.get(`/v1/checkout-session/${session.id}`).expect(200)).body;
    const listings = app.runtime.db.knex('listings').where({ domain: session.domain });
    await listings.update({ price_cents: 500_000 });
    expect(await read()).toMatchObject({ price_cents: 485_000, status: 'open' });
    app.runtime.clock.advance(24 * 3_600_000 + 1_000);
    expect(await read()).toMatchObject({ price_cents: 500_000, status: 'open' });
    app.runtime.clock.advance(6 * 24 * 3_600_000);
    expect(await read()).toMatchObject({ price_cents: 485_000, status: 'expired' });
    app.runtime.clock.advance(-7 * 24 * 3_600_000 - 1_000);
  });

  it.each([
    ['without a domain', {}, '/domain'],
    [
      'with a return_url of another scheme',
      { domain: 'a.com', return_url: 'javascript:alert(1)' },
      '/return_url',
    ],
    [
      'with an address that nobody can open',
      { domain: 'a.com', return_url: 'https://a.example:99999/' },
      '/return_url',
    ],
    ['with a wrong email address', { domain: 'a.com', buyer_email: 'nobody' }, '/buyer_email'],
    ['with an empty reference', { domain: 'a.com', client_reference: '' }, '/client_reference'],
  ])('are rejected %s', async (_what, body, path) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((each: { path: string }) => each.path)).toContain(path);
  });

  it('are rejected for a domain that is not for sale', async () => {
    const sold = await givenListing(app.runtime, { status: 'sold' });
    const gone = await givenListing(app.runtime, { status: 'delisted' });
    expect((await create({ domain: sold.domain })).body.error).toMatchObject({
      code: 'conflict',
      details: { reason: 'domain_sold' },
    });
    expect((await create({ domain: gone.domain })).status).toBe(404);
    expect((await create({ domain: 'never-listed.com' })).status).toBe(404);
  });

  it('require the embed scope', async () => {
    const other = await app.partner({ scopes: ['buy', 'search'] });
    const answer = await other.client.post('/v1/checkout-session', { body: { domain: 'a.com' } });
    expect(answer.status).toBe(403);
    expect(answer.body.error.message).toContain('embed');
  });
});
