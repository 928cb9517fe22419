import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrderDetail } from '../../../sdk/src/generated/types.ts';
import { deliveryHeaders } from '../../../shared/messaging/webhooks/webhook-signature.ts';
import { DEMO_PARTNERS } from '../../../shared/operations/demo/demo-accounts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { buyerWith, CARDS, sendForm } from '../../support/checkout.ts';
import { givenListing, type PartnerFixture } from '../../support/factories.ts';
import { givenSearchableListing } from '../../support/inventory.ts';
import { openShop, type TestShop } from '../../support/shop.ts';
import { readProjectFile } from '../../support/sources.ts';

let app: TestApp;
let partner: PartnerFixture;
let shop: TestShop;
beforeAll(async () => {
  app = await startTestApp();
  partner = await app.partner();
  shop = await openShop(app, partner);
});
afterAll(async () => {
  await shop?.stop();
  await app?.stop();
});

const get = async (path: string) => (await fetch(shop.url + path)).text();

function post(path: string, fields: Record<string, string> = {}, headers = {}): Promise<Response> {
  const body = new URLSearchParams(fields);
  return fetch(shop.url + path, { method: 'POST', redirect: 'manual', body, headers });
}

const placeOf = (response: Response) => response.headers.get('Location') ?? '';

/** Starts a purchase with a quote, and returns its path. */
async function givenPurchase(): Promise<{ path: string; domain: string }> {
  const { domain } = await givenListing(app.runtime);
  return { path: placeOf(await post('/purchases', { domain, q: 'words' })), domain };
}

/** A paid order whose buyer has not returned to the shop. */
async function givenOrder(): Promise<{ path: string; domain: string; order: OrderDetail }> {
  const { path, domain } = await givenPurchase();
  const checkout = new URL(placeOf(await post(`${path}/pay`)));
  await sendForm(app.url + checkout.pathname + checkout.search, 'pay', buyerWith(CARDS.good));
  const { orders } = await shop.client.orders.list({ domain });
  const order = await shop.client.orders.get({ public_id: orders[0]?.public_id ?? '' });
  return { path, domain, order };
}

let events = 0;
/** An event of an order, as the marketplace would send it. */
function eventOf({ public_id, domain, status, sale_price_cents, currency }: OrderDetail) {
  events += 1;
  return {
    id: `evt_${events}`,
    type: 'order.recorded',
    created_at: new Date().toISOString(),
    partner_id: partner.partnerId,
    data: { order: { public_id, domain, status, sale_price_cents, currency } },
  };
}

async function deliver(
  event: ReturnType<typeof eventOf>,
  { secret = shop.webhookSecret, now = new Date() } = {},
): Promise<number> {
  const body = JSON.stringify(event);
  const about = { eventId: event.id, eventType: event.type, attempt: 1, body };
  const headers = deliveryHeaders({ ...about, secret, previousSecrets: [], now });
  return (await fetch(`${shop.url}/webhooks`, { method: 'POST', body, headers })).status;
}

describe('webhooks of the sample shop', () => {
  it('are accepted only with a recent signature made with its own secret', async () => {
    const { order } = await givenOrder();
    const event = eventOf(order);
    shop.asked.length = 0;
    expect(await deliver(event, { secret: 'another secret of ours' })).toBe(401);
    expect(await deliver(event, { now: new Date(Date.now() - 600_000) })).toBe(401);
    const bare = await fetch(`${shop.url}/webhooks`, { method: 'POST' });
    expect([bare.status, shop.asked]).toEqual([401, []]);
  });

  it('inform the shop of an order whose buyer never returned', async () => {
    const { path, order } = await givenOrder();
    expect(await deliver(eventOf(order))).toBe(200);
    const page = await fetch(shop.url + path, { redirect: 'manual' });
    expect(placeOf(page)).toBe(path.replace('purchases', 'orders'));
  });

  it('are handled once, however often and concurrently they arrive', async () => {
    const { order } = await givenOrder();
    const event = eventOf(order);
    shop.asked.length = 0;
    const answers = await Promise.all([event, event, event].map((each) => deliver(each)));
    expect([...answers, await deliver(event)]).toEqual([200, 200, 200, 200]);
    expect(shop.asked).toHaveLength(2);
    expect(shop.asked[1]).toBe(`GET /v1/orders/${order.public_id}`);
  });

  it('can arrive out of order', async () => {
    const { path, order } = await givenOrder();
    const live = path.replace('purchases', 'orders');
    await shop.client.orders.advance({ public_id: order.public_id, to: 'TRANSFER_IN_PROGRESS' });
    const { public_id } = order;
    const later = await shop.client.orders.advance({ public_id, to: 'TRANSFER_COMPLETED' });
    expect(await deliver(eventOf(later))).toBe(200);
    expect(await get(live)).toContain('The name is yours.');
    expect(await deliver(eventOf(order))).toBe(200);
    expect(await get(live)).toContain('The name is yours.');
  });

  it('get a 503 and are retried while the marketplace is unreachable', async () => {
    const { path, order } = await givenOrder();
    const event = eventOf(order);
    shop.loseMarket(true);
    expect(await deliver(event)).toBe(503);
    shop.loseMarket(false);
    expect(await deliver(event)).toBe(200);
    expect(await get(path)).toContain('We received your payment.');
  });

  it('are acknowledged and ignored if they are about anything else', async () => {
    shop.asked.length = 0;
    const { order } = await givenOrder();
    shop.asked.length = 0;
    expect(await deliver({ ...eventOf(order), type: 'webhook.ping', data: {} as never })).toBe(200);
    expect(await deliver(eventOf({ ...order, domain: 'foreign.com' }))).toBe(200);
    expect(shop.asked).toEqual([]);
  });
});

describe('pages of the sample shop', () => {
  it('show a changed price before payment', async () => {
    const { domain } = await givenListing(app.runtime, { domain: 'reprice-lamp.com' });
    const path = placeOf(await post('/purchases', { domain }));
    const answer = await post(`${path}/pay`);
    const page = await answer.text();
    expect(answer.status).toBe(409);
    expect(page).toContain('<s>$4,850</s>');
    expect(page).toContain('Continue at $5,335');
    expect(page).toMatch(/href="[^"]*\/checkout\/cks_\w+\?pt=/);
  });

  it('do not trust the return URL as proof of payment', async () => {
    const { path } = await givenPurchase();
    const back = await fetch(`${shop.url}${path}/return?status=paid&session_id=cks_1`, {
      redirect: 'manual',
    });
    expect(placeOf(back)).toBe(`${path}?unpaid`);
  });

  it('escape the query', async () => {
    const page = await get(`/?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(page).not.toContain('<script>alert');
    expect(page).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(await get('/?q=a')).toContain('at least two letters');
  });

  it('link from a search without results to one with results', async () => {
    await givenSearchableListing(app.runtime, { domain: 'oakbakery.com' });
    const page = await get(`/?q=${encodeURIComponent('bakery under $1')}`);
    expect(page).toContain('Nothing for “bakery under $1” yet');
    expect(page).toContain('<a href="/?q=bakery">bakery</a>');
  });

  it('contain no secrets and have a strict content security policy', async () => {
    const { path } = await givenPurchase();
    const response = await fetch(shop.url + path);
    const all = [
      await response.text(),
      await get('/shop.js'),
      await get('/'),
      await get('/?q=oak'),
    ];
    for (const secret of [partner.secret, partner.keyId, shop.webhookSecret]) {
      expect(all.join()).not.toContain(secret);
    }
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none';/);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });

  it('reject forms from other sites', async () => {
    const { path } = await givenPurchase();
    const forged = await post(`${path}/leave`, {}, { 'Sec-Fetch-Site': 'cross-site' });
    expect(forged.status).toBe(403);
  });

  it('return 400 with a clear message for a malformed URL or an oversized form', async () => {
    const damaged = await fetch(`${shop.url}/purchases/%E0%A4%A`);
    const large = await post('/purchases', { domain: 'x'.repeat(20_000) });
    for (const refused of [damaged, large]) {
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining('We could not read that'),
      ]);
    }
  });

  it('say that the marketplace is unreachable or the name is sold, with a next step', async () => {
    const { domain } = await givenListing(app.runtime, { status: 'sold' });
    const sold = await post('/purchases', { domain, q: 'words' });
    expect([sold.status, await sold.text()]).toEqual([
      409,
      expect.stringContaining('href="/?q=words">See other names'),
    ]);
    shop.loseMarket(true);
    const away = await post('/purchases', { domain, q: 'words' });
    shop.loseMarket(false);
    expect([away.status, await away.text()]).toEqual([
      503,
      expect.stringContaining('href="/?q=words">Try again'),
    ]);
  });
});

it('the sample shop has the name of its demo partner, which checkout shows to buyers', async () => {
  const brand = /<a class="brand"[^>]*>.*?>(\w+)<\/a>/.exec(await get('/'))?.[1];
  expect(DEMO_PARTNERS.map(({ name }) => name)).toContain(brand);
  expect(readProjectFile('scripts/shop.mjs')).toContain(`const PARTNER = '${brand}';`);
});

it('the README of the sample shop names every package that it imports', () => {
  const folder = 'docs/examples/shop';
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readProjectFile(`${folder}/${file}`));
  const imported = sources.flatMap((source) =>
    [...source.matchAll(/from '((?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[\w-]+)?'/g)].map(
      ([, name]) => name,
    ),
  );
  const [, installed = ''] =
    /`npm install ([^`]+)`/.exec(readProjectFile(`${folder}/README.md`)) ?? [];
  const said = new Set([...installed.split(' '), '@domain-marketplace/sdk']);
  expect(imported).toContain('express');
  expect(imported.filter((name) => name && !said.has(name))).toEqual([]);
});

it('the sample shop reports in one line that its port is in use', async () => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { NODE_OPTIONS: _jestOnly, ...inherited } = process.env;
  const env = { ...inherited, KEY_ID: partner.keyId, SECRET: partner.secret, PORT: String(port) };
  const args = ['--import', 'tsx', 'docs/examples/shop/main.ts'];
  const opening = promisify(execFile)(process.execPath, args, { env });
  await expect(opening).rejects.toMatchObject({
    code: 1,
    stderr: `Port ${port} is in use. Choose another: PORT=4001 npm run shop\n`,
  });
  other.close();
});
