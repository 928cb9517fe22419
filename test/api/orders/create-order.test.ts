import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenCredential, givenListing } from '../../support/factories.ts';
import { orderBody, sell } from '../../support/sales.ts';

describe('POST /v1/orders', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());

  const count = async (table: string, where: object) =>
    Number((await app.runtime.db.knex(table).where(where).count({ n: '*' }))[0]?.n);

  it('sells a premium domain only to a caller that confirms its renewal fee', async () => {
    const partner = await app.partner();
    const listing = await givenListing(app.runtime, { domain: `premium-${randomUUID()}.com` });
    const terms = { class: 'premium', renewal_fee_cents: 50_000, currency: 'USD' };
    const quote = await partner.client
      .post('/v1/quotes', { body: { domain: listing.domain } })
      .expect(201);
    expect(quote.body.premium).toEqual(terms);
    for (const more of [{}, { premium_renewal_fee_cents: 1_500 }]) {
      const { body } = await sell(partner.client, listing, { more }).expect(409);
      expect(body.error.details).toEqual({
        reason: 'premium_price',
        renewal_fee_cents: 50_000,
        currency: 'USD',
      });
    }
    await sell(partner.client, listing, {
      more: { quote_id: quote.body.quote_id, premium_renewal_fee_cents: 50_000 },
    }).expect(201);
  });

  it('records the sale with commission, ledger entry, event and transfer job', async () => {
    const partner = await app.partner({ commissionBps: 1_500 });
    const listing = await givenListing(app.runtime, { priceCents: 485_000 });
    const { body, headers } = await sell(partner.client, listing, {
      more: { external_payment_ref: 'inv-1', return_url: 'https://shop.example/thanks' },
    }).expect(201);
    expect(body).toMatchObject({
      domain: listing.domain,
      status: 'EXTERNALLY_PAID',
      payment_model: 'merchant_of_record',
      sale_price_cents: 485_000,
      commission_cents: 72_750,
      amount_owed_cents: 412_250,
      currency: 'USD',
      buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
      external_payment_ref: 'inv-1',
      return_url: 'https://shop.example/thanks',
      cancel_url: null,
      quote_id: null,
      environment: 'SANDBOX',
      transfer_completed_at: null,
      settled_at: null,
      settlement_id: null,
    });
    expect(body.public_id).toMatch(/^ord_[0-9a-z]{26}$/);
    expect(headers.get('idempotent-replayed')).toBeNull();

    const postings = await app.runtime.db
      .knex('ledger_postings as p')
      .join('ledger_entries as e', 'e.id', 'p.entry_id')
      .where('e.order_id', body.public_id)
      .orderBy('line')
      .select('account', 'amount_cents');
    expect(postings).toEqual([
      { account: 'partner_clearing', amount_cents: 412_250 },
      { account: 'partner_commission', amount_cents: 72_750 },
      { account: 'sales', amount_cents: -485_000 },
    ]);
    const { events } = (await partner.client.get('/v1/events').expect(200)).body;
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        type: 'order.recorded',
        created_at: expect.any(String),
        data: {
          order: {
            public_id: body.public_id,
            domain: listing.domain,
            status: 'EXTERNALLY_PAID',
            sale_price_cents: 485_000,
            currency: 'USD',
          },
        },
      },
    ]);
    expect(await count('outbox', { dedupe_key: `start-transfer:${body.public_id}` })).toBe(1);
  });

  it('replays the stored response for the same key and body, in any order of fields', async () => {
    const partner = await app.partner();
    const listing = await givenListing(app.runtime);
    const idempotencyKey = randomUUID();
    const first = await sell(partner.client, listing, { idempotencyKey }).expect(201);
    const reordered = Object.fromEntries(Object.entries(orderBody(listing)).reverse());
    const second = await partner.client
      .post('/v1/orders', { body: reordered, idempotencyKey })
      .expect(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('returns 409 key_reused for the same key with another body', async () => {
    const partner = await app.partner();
    const [listing, other] = [await givenListing(app.runtime), await givenListing(app.runtime)];
    const idempotencyKey = randomUUID();
    await sell(partner.client, listing, { idempotencyKey }).expect(201);
    const answer = await sell(partner.client, other, { idempotencyKey }).expect(409);
    expect(answer.body.error).toMatchObject({
      code: 'conflict',
      details: { reason: 'key_reused' },
    });
  });

  it('scopes a key to the credential: another of the partner neither replays nor is refused', async () => {
    const partner = await app.partner();
    const second = app.as(await givenCredential(app.runtime, partner.partnerId));
    const [listing, other] = [await givenListing(app.runtime), await givenListing(app.runtime)];
    const idempotencyKey = randomUUID();
    const first = await sell(partner.client, listing, { idempotencyKey }).expect(201);
    const sold = await sell(second, listing, { idempotencyKey }).expect(409);
    expect(sold.body.error.details).toEqual({ reason: 'domain_sold' });
    const own = await sell(second, other, { idempotencyKey }).expect(201);
    expect(own.headers.get('idempotent-replayed')).toBeNull();
    for (const [client, sale, recorded] of [
      [partner.client, listing, first],
      [second, other, own],
    ] as const) {
      const replay = await sell(client, sale, { idempotencyKey }).expect(201);
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      expect(replay.text).toBe(recorded.text);
    }
  });

  it('sells a domain once when two credentials of a partner send the same key and body at once', async () => {
    const partner = await app.partner();
    const second = app.as(await givenCredential(app.runtime, partner.partnerId));
    const listing = await givenListing(app.runtime);
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        sell(at % 2 === 0 ? partner.client : second, listing, { idempotencyKey }),
      ),
    );
    const recorded = answers.filter(({ status }) => status === 201);
    expect(new Set(recorded.map(({ text }) => text)).size).toBe(1);
    expect(recorded).toHaveLength(5);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, body.error.details]).toEqual([409, { reason: 'domain_sold' }]);
    }
    expect(await count('orders', { listing_id: listing.id })).toBe(1);
    expect(await count('events', { partner_id: partner.partnerId })).toBe(1);
  });

  it('frees the key if the order is rejected, and after 30 days', async () => {
    const partner = await app.partner();
    const listing = await givenListing(app.runtime, { priceCents: 1_000 });
    const idempotencyKey = randomUUID();
    await sell(partner.client, { ...listing, priceCents: 999 }, { idempotencyKey }).expect(422);
    await sell(partner.client, listing, { idempotencyKey }).expect(201);
    const next = await givenListing(app.runtime);
    app.runtime.clock.advance(31 * 86_400_000);
    await sell(partner.client, next, { idempotencyKey }).expect(201);
    app.runtime.clock.advance(-31 * 86_400_000);
  });

  it('creates one order from 30 parallel requests with the same key and body', async () => {
    const partner = await app.partner();
    const listing = await givenListing(app.runtime);
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => sell(partner.client, listing, { idempotencyKey })),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(30).fill(201));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    const replayed = answers.filter(
      (answer) => answer.headers.get('idempotent-replayed') === 'true',
    );
    expect(replayed).toHaveLength(29);
    expect(await count('orders', { listing_id: listing.id })).toBe(1);
    expect(await count('ledger_entries', { order_id: answers[0]?.body.public_id })).toBe(1);
    expect(await count('events', { subject: answers[0]?.body.public_id })).toBe(1);
  });

  it('creates one order from 12 parallel requests with the same key and different bodies', async () => {
    const partner = await app.partner();
    const listings = await Promise.all(Array.from({ length: 12 }, () => givenListing(app.runtime)));
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(
      listings.map((listing) => sell(partner.client, listing, { idempotencyKey })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => body.error.details.reason)).toEqual(
      Array(11).fill('key_reused'),
    );
    expect(await count('orders', { partner_id: partner.partnerId })).toBe(1);
  });

  it('sells a domain to only one of 30 partners at the same time', async () => {
    const partners = await Promise.all(Array.from({ length: 30 }, () => app.partner()));
    const listing = await givenListing(app.runtime);
    const answers = await Promise.all(partners.map((partner) => sell(partner.client, listing)));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, ...Array(29).fill(409)]);
    for (const answer of answers.filter((each) => each.status === 409)) {
      expect(answer.body.error).toMatchObject({
        code: 'conflict',
        details: { reason: 'domain_sold' },
      });
    }
    expect(await count('orders', { listing_id: listing.id })).toBe(1);
  });

  it('requires an Idempotency-Key before it validates the body', async () => {
    const { client } = await app.partner();
    const answer = await client.post('/v1/orders', { body: { nonsense: true } }).expect(400);
    expect(answer.body.error.code).toBe('missing_idempotency_key');
    const long = await client
      .post('/v1/orders', { body: {}, idempotencyKey: 'x'.repeat(256) })
      .expect(400);
    expect(long.body.error.code).toBe('validation_error');
  });

  it('returns the current price if the expected price differs', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime, { priceCents: 12_300 });
    const wrongPrice = await sell(client, { ...listing, priceCents: 12_299 }).expect(422);
    expect(wrongPrice.body.error).toMatchObject({
      code: 'price_mismatch',
      details: { sale_price_cents: 12_300, currency: 'USD' },
    });
    const wrongCurrency = await sell(client, listing, { more: { currency: 'EUR' } }).expect(422);
    expect(wrongCurrency.body.error.code).toBe('price_mismatch');
  });

  it('takes the currency of the quote if none is named', async () => {
    const { client } = await app.partner();
    const { domain } = await givenListing(app.runtime, { priceCents: 450_000, currency: 'EUR' });
    const quote = await client.post('/v1/quotes', { body: { domain } }).expect(201);
    const order = (more: object) =>
      client.post('/v1/orders', {
        body: { quote_id: quote.body.quote_id, buyer: { email: 'buyer@example.com' }, ...more },
        idempotencyKey: randomUUID(),
      });
    const dollars = await order({ currency: 'USD' }).expect(422);
    expect(dollars.body.error).toMatchObject({
      code: 'price_mismatch',
      details: { sale_price_cents: 450_000, currency: 'EUR' },
    });
    const { body } = await order({}).expect(201);
    expect(body).toMatchObject({ sale_price_cents: 450_000, currency: 'EUR' });
  });

  it('accepts sale_price_cents for expected_price, and rejects both if they differ', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime, { priceCents: 777 });
    const { expected_price: _, ...body } = orderBody(listing, { sale_price_cents: 777 });
    await client
      .post('/v1/orders', { body: { ...body, expected_price: 778 }, idempotencyKey: randomUUID() })
      .expect(400);
    await client.post('/v1/orders', { body, idempotencyKey: randomUUID() }).expect(201);
  });

  it('names every invalid field', async () => {
    const { client } = await app.partner();
    const { body } = await client
      .post('/v1/orders', {
        body: {
          domain: 'x'.repeat(600),
          expected_price: -1.5,
          buyer: { email: 'nobody', country: 'deu' },
          return_url: 'javascript:alert(1)',
        },
        idempotencyKey: randomUUID(),
      })
      .expect(400);
    const paths = new Set(body.error.details.map((fault: { path: string }) => fault.path));
    expect(paths).toEqual(
      new Set(['/domain', '/expected_price', '/buyer/email', '/buyer/country', '/return_url']),
    );
    const unpriced = await client
      .post('/v1/orders', {
        body: {
          domain: 'nowhere-listed.com',
          buyer: { email: 'a@example.com' },
          return_url: 'http://',
        },
        idempotencyKey: randomUUID(),
      })
      .expect(400);
    expect(unpriced.body.error.details).toMatchObject([{ path: '/return_url' }]);
    const priceless = await client
      .post('/v1/orders', {
        body: { domain: 'nowhere-listed.com', buyer: { email: 'a@example.com' } },
        idempotencyKey: randomUUID(),
      })
      .expect(400);
    expect(priceless.body.error.details).toMatchObject([{ path: '/expected_price' }]);
  });

  it('returns 404 for a domain that is unknown, delisted, or listed in the other environment', async () => {
    const { client } = await app.partner();
    const live = await givenListing(app.runtime, { environment: 'LIVE' });
    const delisted = await givenListing(app.runtime, { status: 'delisted' });
    for (const listing of [
      live,
      delisted,
      { domain: 'never-listed-anywhere.com', priceCents: 100 },
    ]) {
      const answer = await sell(client, listing).expect(404);
      expect(answer.body.error.code).toBe('not_found');
    }
  });

  it('holds an order for review by price, country and hold- names, and starts no transfer', async () => {
    const strict = await startTestApp({ REVIEW_PRICE_CENTS: '500000', REVIEW_COUNTRIES: 'KP' });
    try {
      const { client } = await strict.partner();
      const dear = await givenListing(strict.runtime, { priceCents: 500_000 });
      const cheap = await givenListing(strict.runtime, { priceCents: 499_999 });
      const held = await givenListing(strict.runtime, { domain: 'hold-me.com' });
      expect((await sell(client, dear).expect(201)).body.status).toBe('MANUAL_REVIEW');
      const buyer = { email: 'buyer@example.com', country: 'KP' };
      expect((await sell(client, cheap, { more: { buyer } }).expect(201)).body.status).toBe(
        'MANUAL_REVIEW',
      );
      expect((await sell(client, held).expect(201)).body.status).toBe('MANUAL_REVIEW');
      const { events } = (await client.get('/v1/events').expect(200)).body;
      expect(events.map((event: { type: string }) => event.type)).toEqual(
        Array(3).fill('order.recorded'),
      );
      expect(await strict.runtime.db.knex('outbox')).toHaveLength(0);
    } finally {
      await strict.stop();
    }
  });

  it.each([
    ['UK', 'GB'],
    ['EL', 'GR'],
  ])('treats the country %s as %s, also in review rules', async (sent, meant) => {
    const strict = await startTestApp({ REVIEW_COUNTRIES: `KP, ${meant}` });
    try {
      const { client } = await strict.partner();
      const buyer = { email: 'buyer@example.com', country: sent };
      const listing = await givenListing(strict.runtime);
      const { body } = await sell(client, listing, { more: { buyer } }).expect(201);
      expect(body).toMatchObject({ status: 'MANUAL_REVIEW', buyer: { country: meant } });
    } finally {
      await strict.stop();
    }
  });

  it.each(['XX', 'ZZ', 'EU', 'AA', 'XK'])('rejects %s, which is not a country', async (country) => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime);
    const buyer = { email: 'buyer@example.com', country };
    const { body } = await sell(client, listing, { more: { buyer } }).expect(400);
    expect(body.error).toMatchObject({
      code: 'validation_error',
      details: [{ path: '/buyer/country' }],
    });
  });

  it('returns 409 domain_sold for the reserved sold- names, although they can be quoted', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime, { domain: 'sold-out.com' });
    await client.post('/v1/quotes', { body: { domain: listing.domain } }).expect(201);
    const answer = await sell(client, listing).expect(409);
    expect(answer.body.error.details.reason).toBe('domain_sold');
  });

  it('keeps the domain available if the order is rejected', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime, { priceCents: 5_000 });
    await sell(client, { ...listing, priceCents: 4_000 }).expect(422);
    const { body } = await client
      .get('/v1/availability', { query: { domain: listing.domain } })
      .expect(200);
    expect(body).toEqual({
      domain: listing.domain,
      available: true,
      price_cents: 5_000,
      currency: 'USD',
    });
  });
});
