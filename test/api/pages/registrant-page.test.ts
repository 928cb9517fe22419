import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import { setDeliveryMethod } from '../../../shared/people/partners/partner-lifecycle.ts';
import { registrantOfOrder } from '../../../shared/sales/orders/order-registrant.ts';
import { registrantPath } from '../../../shared/sales/orders/registrant-link.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { buyerWith, CARDS, fetchPage, givenSession, sendForm } from '../../support/checkout.ts';
import { givenListing } from '../../support/factories.ts';
import { sell } from '../../support/sales.ts';
import { takeBack } from '../../support/take-back.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ MAIL: 'on' });
  await seedTlds(app.runtime);
});
afterAll(() => app.stop());

const FILLED = {
  name: 'A. Buyer',
  country: 'DE',
  street_0: 'Lindenallee 12',
  city: 'Berlin',
  postal_code: '10115',
  phone: '030 123456',
  email: 'buyer@example.com',
};

/** An order that waits for its registrant, with the buyer's link. */
async function waiting(domain?: string) {
  const { client } = await app.partner({ environment: 'LIVE' });
  const options = { environment: 'LIVE' as const, ...(domain !== undefined && { domain }) };
  const listing = await givenListing(app.runtime, options);
  const { body } = await sell(client, listing, { more: { registrant: undefined } }).expect(201);
  const id = body.public_id as string;
  const url = app.url + (await registrantPath(app.runtime.tokens, id));
  return {
    id,
    url,
    domain: listing.domain,
    read: async () => (await client.get(`/v1/orders/${id}`).expect(200)).body,
    send: (fields: Record<string, string>) =>
      fetchPage(url, { method: 'POST', body: new URLSearchParams(fields) }),
  };
}

describe('the registrant page for buyers', () => {
  it('has a form with known data filled in', async () => {
    const { url, domain } = await waiting();
    const { status, text, headers } = await fetchPage(url);
    expect(status).toBe(200);
    expect(text).toContain(`<title>Where should we register ${domain}?</title>`);
    expect(text).toMatch(/name="name"[^>]* value="A. Buyer"/);
    expect(text).toMatch(/name="email"[^>]* value="buyer@example.com"/);
    expect(text).toContain('<option value="DE" selected>');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  });

  it('lets the order continue once it is submitted, and shows what was saved', async () => {
    const { id, url, send, read } = await waiting();
    const { status, location } = await send(FILLED);
    expect(status).toBe(303);
    expect((await read()).action_required).toBeNull();
    expect(await registrantOfOrder(app.runtime, id)).toMatchObject({
      street: ['Lindenallee 12'],
      phone: '+4930123456',
    });
    const saved = await fetchPage(app.url + location);
    expect(saved.text).toContain('Saved.');
    expect(saved.text).toMatch(/name="city"[^>]* value="Berlin"/);
    expect((await fetchPage(url)).text).not.toContain('Saved.');
  });

  it('keeps the input and explains each invalid field', async () => {
    const { send, read } = await waiting();
    const typed = { ...FILLED, name: '<b>山田太郎</b>', postal_code: 'SW1A 1AA', city: '' };
    const { status, text } = await send(typed);
    expect(status).toBe(422);
    expect(text).toContain('<a href="#city">City is required.</a>');
    expect(text).toContain('Postal code does not look like one of DE.');
    expect(text).toMatch(/name="postal_code"[^>]* value="SW1A 1AA"[^>]* aria-invalid="true"/);
    expect(text).toContain('value="&lt;b&gt;山田太郎&lt;/b&gt;"');
    expect(text).toMatch(/name="street_0"[^>]* value="Lindenallee 12"/);
    expect((await read()).action_required).toBe('registrant_required');
  });

  it.each([
    [
      'Japanese',
      { country: 'JP', state: '東京都', postal_code: '100-0001', phone: '+81332131111' },
      '山田太郎',
      '千代田区千代田1-1',
      '東京',
    ],
    [
      'Arabic',
      { country: 'EG', postal_code: '11511', phone: '+20223456789' },
      'محمد الفارسي',
      'شارع النيل ١٢',
      'القاهرة',
    ],
    ['German', { state: '' }, 'Jörg Müßig', 'Käsgäßchen 3', 'Köln'],
  ])('accepts %s names and addresses', async (_language, more, name, street, city) => {
    const { id, send } = await waiting();
    expect((await send({ ...FILLED, ...more, name, street_0: street, city })).status).toBe(303);
    expect(await registrantOfOrder(app.runtime, id)).toMatchObject({
      name,
      street: [street],
      city,
    });
  });

  it('asks for what the TLD requires', async () => {
    const { send, url } = await waiting('oak-lantern.us');
    expect((await fetchPage(url)).text).toContain('Your tie to the United States');
    const refused = await send(FILLED);
    expect(refused.text).toContain('What the domain is for is required.');
    const extra = { extra_nexus_purpose: 'P1', extra_nexus_category: 'C32' };
    const missing = await send({ ...FILLED, ...extra });
    expect(missing.text).toContain('Country of the organization is required.');
    expect((await send({ ...FILLED, ...extra, extra_nexus_country: 'DE' })).status).toBe(303);
  });

  it('returns 410 if the order was reversed, and an error for invalid links', async () => {
    const { id, url, send } = await waiting();
    await takeBack(app.runtime, id);
    expect([(await fetchPage(url)).status, (await send(FILLED)).status]).toEqual([410, 410]);
    expect((await fetchPage(`${url}x`)).status).toBe(403);
    expect((await fetchPage(`${app.url}/registrant/x`)).status).toBe(403);
    expect((await fetchPage(`${app.url}/registrant/x/y`)).status).toBe(404);
  });
});

describe('the page of a paid checkout session', () => {
  it('does not ask for a registrant if the partner’s registrar supplies it', async () => {
    const { client, partnerId } = await app.partner({ environment: 'LIVE' });
    await setDeliveryMethod(app.runtime, 'test', { partnerId, method: 'partner_registrar' });
    const session = await givenSession(app, client, { environment: 'LIVE' });
    await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    expect((await fetchPage(session.url)).text).not.toContain('/registrant/');
    const { body } = await client.get('/v1/orders').expect(200);
    expect(body.orders).toMatchObject([{ domain: session.domain, action_required: null }]);
    const { body: order } = await client.get(`/v1/orders/${body.orders[0].public_id}`).expect(200);
    expect(order.delivery.method).toBe('partner_registrar');
    const mails = await app.runtime.db.knex('mails').where({ partner_id: partnerId }).pluck('kind');
    expect(mails).toEqual(['receipt']);
  });

  it('links to the registrant page until the registrant is known', async () => {
    const { client } = await app.partner();
    const session = await givenSession(app, client, { domain: 'registrant-hill.com' });
    await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    const paid = await fetchPage(session.url);
    const [, path = ''] =
      /href="(\/registrant\/[^"]+)">Where should we register it\?/.exec(paid.text) ?? [];
    const given = await fetchPage(app.url + path, {
      method: 'POST',
      body: new URLSearchParams(FILLED),
    });
    expect(given.status).toBe(303);
    expect((await fetchPage(session.url)).text).not.toContain('/registrant/');
  });
});
