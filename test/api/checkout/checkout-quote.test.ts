import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { buyerWith, CARDS, fetchPage, ordersOf, sendForm } from '../../support/checkout.ts';
import { givenListing } from '../../support/factories.ts';
import type { SignedClient } from '../../support/signed-client.ts';

describe('a checkout session for a quote', () => {
  let app: TestApp;
  let client: SignedClient;
  let rival: SignedClient;
  beforeAll(async () => {
    app = await startTestApp();
    ({ client } = await app.partner());
    ({ client: rival } = await app.partner());
  });
  afterEach(() => app.runtime.clock.reset());
  afterAll(() => app.stop());

  const wait = (ms: number) => app.runtime.clock.advance(ms);
  const reprice = (domain: string, price_cents: number) =>
    app.runtime.db.knex('listings').where({ domain }).update({ price_cents });
  const quote = (who: SignedClient, domain: string) => who.post('/v1/quotes', { body: { domain } });
  const open = (body: object, who = client) => who.post('/v1/checkout-session', { body });
  const given = async () => {
    const { domain } = await givenListing(app.runtime);
    const quoted = (await quote(client, domain)).body;
    const session = (await open({ quote_id: quoted.quote_id })).body;
    const { pathname, search } = new URL(session.checkout_url);
    return { domain, quoted, session, url: app.url + pathname + search };
  };

  it('asks for the quoted price until the quote expires, then for the current price', async () => {
    const { domain, quoted, session } = await given();
    await reprice(domain, 500_000);
    const read = async () => (await client.get(`/v1/checkout-session/${session.id}`)).body;
    expect(session).toMatchObject({ domain, price_cents: quoted.price_cents });
    expect(await read()).toMatchObject({
      price_cents: quoted.price_cents,
      quote_id: quoted.quote_id,
    });
    wait(10 * MINUTE + SECOND);
    expect(await read()).toMatchObject({ price_cents: 500_000, status: 'open' });
  });

  it('shows how long the domain is held and the price is valid', async () => {
    const { url } = await given();
    wait(4 * MINUTE);
    const during = (await fetchPage(url)).text;
    expect(during).toMatch(
      /Held for you[\s\S]*data-left="\d+">6 minutes|Held for you[\s\S]*5 minutes/,
    );
    expect(during).toContain('Price valid until');
    wait(6 * MINUTE + SECOND);
    const after = (await fetchPage(url)).text;
    expect(after).not.toContain('Held for you');
    expect(after).not.toContain('Price valid until');
    expect(after).toContain('Pay $4,850.00');
  });

  it('keeps the hold after a declined card, until the quote expires', async () => {
    const { domain, url } = await given();
    expect((await quote(rival, domain)).body.error.details.reason).toBe('domain_reserved');
    await sendForm(url, 'pay', buyerWith(CARDS.declined));
    expect((await quote(rival, domain)).body.error.details.reason).toBe('domain_reserved');
    wait(10 * MINUTE + SECOND);
    expect((await quote(rival, domain)).status).toBe(201);
  });

  it('releases the domain when the buyer cancels', async () => {
    const { domain, url } = await given();
    await sendForm(url, 'cancel');
    expect((await quote(rival, domain)).status).toBe(201);
  });

  it('sells at the quoted price, and the order names the quote', async () => {
    const { domain, quoted, session, url } = await given();
    await reprice(domain, 999_900);
    await app.runtime.db.knex('listings').where({ domain }).update({ status: 'delisted' });
    await sendForm(url, 'pay', buyerWith(CARDS.good));
    const [sold] = await ordersOf(app, session.id);
    const order = (await client.get(`/v1/orders/${sold?.id}`).expect(200)).body;
    expect(order).toMatchObject({
      status: 'PAID',
      sale_price_cents: quoted.price_cents,
      quote_id: quoted.quote_id,
      checkout_session_id: session.id,
    });
  });

  it('uses up the quote', async () => {
    const { domain, quoted } = await given();
    const used = { status: 409, body: { error: { details: { reason: 'quote_used' } } } };
    expect(await open({ quote_id: quoted.quote_id })).toMatchObject(used);
    const sale = { quote_id: quoted.quote_id, buyer: { email: 'buyer@example.com' } };
    expect(
      await client.post('/v1/orders', { body: sale, idempotencyKey: `sale-${domain}` }),
    ).toMatchObject(used);
    expect(await client.delete(`/v1/quotes/${quoted.quote_id}`)).toMatchObject(used);
  });

  it('rejects a quote that is expired, replaced, foreign, forged or for another domain', async () => {
    const [{ domain }, other] = [await givenListing(app.runtime), await givenListing(app.runtime)];
    const first = (await quote(client, domain)).body.quote_id;
    const theirs = { status: 400, body: { error: { code: 'validation_error' } } };
    expect(await open({ quote_id: first, domain: other.domain })).toMatchObject(theirs);
    expect(await open({ quote_id: first }, rival)).toMatchObject(theirs);
    expect(await open({ quote_id: `${first}x` })).toMatchObject(theirs);
    const late = { status: 422, body: { error: { code: 'quote_expired' } } };
    const second = (await quote(client, domain)).body.quote_id;
    expect(await open({ quote_id: first })).toMatchObject(late);
    wait(10 * MINUTE + SECOND);
    expect(await open({ quote_id: second })).toMatchObject(late);
  });

  it('charges the price shown or nothing, and sells once, in any order of events around expiry', async () => {
    const events = fc.shuffledSubarray(
      ['pay', 'pay', 'reprice', 'rival', 'pass', 'order'] as const,
      {
        minLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(events, fc.boolean(), async (steps, together) => {
        const { domain, quoted, session, url } = await given();
        wait(10 * MINUTE - SECOND);
        const page = await fetchPage(url);
        const happen = {
          pay: () => sendForm(url, 'pay', buyerWith(CARDS.good), page),
          reprice: () => reprice(domain, 777_700),
          rival: () => quote(rival, domain),
          pass: async () => wait(2 * SECOND),
          order: () =>
            rival.post('/v1/orders', {
              body: { domain, expected_price: 777_700, buyer: { email: 'late@example.com' } },
              idempotencyKey: `late-${session.id}`,
            }),
        };
        if (together) await Promise.all(steps.map((step) => happen[step]()));
        else for (const step of steps) await happen[step]();

        const orders = await app.runtime.db.knex('orders').where({ domain });
        expect(orders.length).toBeLessThanOrEqual(1);
        const taken = await app.runtime.db
          .knex('payments')
          .where({ checkout_session_id: session.id, status: 'succeeded' });
        const ours = orders.filter((each) => each.checkout_session_id === session.id);
        expect(ours.map((each) => Number(each.sale_price_cents))).toEqual(
          taken.map(() => quoted.price_cents),
        );
        expect(taken.every((each) => Number(each.amount_cents) === quoted.price_cents)).toBe(true);
        app.runtime.clock.reset();
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});
