import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countDailyFigures } from '../../../shared/operations/daily-figures/daily-figures.ts';
import { markPayoutPaid } from '../../../shared/settlement/payouts/payout-outcome.ts';
import type { TestApp } from '../../support/app.ts';
import { givenSession } from '../../support/checkout.ts';
import { givenVisitor, readable } from '../../support/console.ts';
import {
  CONSOLE_ENV,
  type ConsoleMarket,
  givenConsoleMarket,
} from '../../support/console-market.ts';
import { givenCredential, givenPartner } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { givenMember } from '../../support/partner-site.ts';
import { givenAffiliate, givenLink, givenReferredOrder } from '../../support/referrals.ts';
import { newVisitor, startSignInApp, type Visitor } from '../../support/sign-in.ts';
import { givenSale } from '../../support/transfers.ts';

let app: TestApp;
let market: ConsoleMarket;
let viewer: Visitor;
let stranger: { browser: Visitor; base: string; partnerId: string };

beforeAll(async () => {
  app = await startSignInApp({ ...CONSOLE_ENV, RATE_LIMITS: 'off' });
  market = await givenConsoleMarket(app.runtime, { url: 'http://127.0.0.1:40999/hook' });
  viewer = (await givenMember(app, 'viewer', market.partnerId)).browser;
  const { partnerId } = await givenPartner(app.runtime);
  const { browser } = await givenMember(app, 'admin', partnerId);
  stranger = { browser, base: `/partner/${partnerId}`, partnerId };
});
afterAll(() => app?.stop());

const sandbox = () => `/partner/${market.partnerId}/sandbox`;

/** Paths of objects of the market's partner, below partner and environment. */
const objects = () => [
  `/orders/${market.delivered}`,
  `/settlements/${market.settlementId}`,
  `/settlements/${market.settlementId}/lines.csv`,
  `/payouts/${market.payoutId}`,
  `/brokerage/${market.caseId}`,
  `/webhooks/${market.secondEndpointId}`,
  `/webhooks/${market.secondEndpointId}/edit`,
  `/requests/${market.requestId}`,
  `/checkouts/${market.checkoutSessionId}`,
  `/referrals/${market.linkId}`,
];
const LISTS = [
  '',
  '/orders',
  '/settlements',
  '/payouts',
  '/checkouts',
  '/brokerage',
  '/referrals',
  '/webhooks',
  '/webhooks/new',
  '/webhooks/deliveries',
  '/events',
  '/requests',
  '/branding',
  '/team',
];

describe('the partner site', () => {
  it('shows each page to every member, and to nobody else', async () => {
    for (const path of [...LISTS, ...objects()]) {
      const page = await viewer.open(sandbox() + path);
      expect([path, page.status, page.url.pathname]).toEqual([path, 200, sandbox() + path]);
      expect([path, (await stranger.browser.open(sandbox() + path)).status]).toEqual([path, 404]);
      const out = await newVisitor(app.url).open(sandbox() + path);
      expect([path, out.url.pathname]).toEqual([path, '/account/sign-in']);
    }
  });

  it('returns 404 for objects of another partner or environment', async () => {
    for (const path of objects()) {
      const elsewhere = `/partner/${market.partnerId}/live${path}`;
      expect([path, (await viewer.open(elsewhere)).status]).toEqual([path, 404]);
      const mine = `${stranger.base}/sandbox${path}`;
      expect([path, (await stranger.browser.open(mine)).status]).toEqual([path, 404]);
    }
    const live = await viewer.open(`/partner/${market.partnerId}/live/orders`);
    expect(live.text).not.toContain('quietmeadow.com');
    expect((await viewer.open(`/partner/${market.partnerId}/elsewhere/orders`)).status).toBe(404);
  });

  it('shows a failed transfer on the overview, in the list and on the order page', async () => {
    const overview = readable((await viewer.open(sandbox())).text);
    expect(overview).toContain('These transfers failed: copperfield-estates.net');
    const list = readable(
      (await viewer.open(`${sandbox()}/orders?domain=copperfield-estates.net`)).text,
    );
    expect(list).toContain('copperfield-estates.net Transfer failed');
    const page = readable((await viewer.open(`${sandbox()}/orders/${market.failed}`)).text);
    expect(page).toContain('Status Transfer failed');
    const under = readable((await viewer.open(`${sandbox()}/orders/${market.underWay}`)).text);
    expect(under).toContain('Status Transfer in progress');
  });

  it('shows an internationalized domain in Unicode, with its ASCII form', async () => {
    const { partnerId, keyId } = market;
    const caller = { partnerId, environment: 'SANDBOX', keyId, commissionBps: 1_500 } as const;
    const { order } = await givenSale(app.runtime, { domain: 'xn--bcherei-n2a.de', caller });
    const list = readable((await viewer.open(`${sandbox()}/orders?domain=bücherei.de`)).text);
    expect(list).toContain('bücherei.de xn--bcherei-n2a.de');
    const { text } = await viewer.open(`${sandbox()}/orders/${order.id}`);
    expect(text).toContain('<h1>bücherei.de</h1>');
    expect(readable(text)).toContain('ASCII form xn--bcherei-n2a.de');
  });

  it('asks for confirmation before actions that cannot be undone', async () => {
    const admin = (await givenMember(app, 'admin', market.partnerId)).browser;
    const endpoint = `${sandbox()}/webhooks/${market.secondEndpointId}`;
    const key = `/partner/${market.partnerId}/keys/${market.keyId}`;
    for (const [path, action] of [
      [endpoint, `${endpoint}/remove`],
      [key, `${key}/revoke`],
    ] as const) {
      const { text } = await admin.open(path);
      const [question = ''] = text.match(/<details class="confirm">[\s\S]*?<\/details>/g) ?? [];
      expect(question).toContain(`action="${action}"`);
      expect(question).toContain('This cannot be undone.');
    }
    const team = (await admin.open(`${sandbox()}/team`)).text;
    const buttons = team.match(/<button class="danger"[^>]*>/g)?.length ?? 0;
    expect(buttons).toBeGreaterThan(0);
    expect(team.match(/<details class="confirm">/g)).toHaveLength(buttons);
  });

  it('filters orders by status and domain, and exports them as CSV', async () => {
    const refunded = await viewer.open(`${sandbox()}/orders?status=REFUNDED`);
    expect(refunded.text).toContain('hold-wildorchard.com');
    expect(refunded.text).not.toContain('quietmeadow.com');
    const found = await viewer.open(`${sandbox()}/orders?domain=QuietMeadow.com&format=csv`);
    expect(found.headers.get('Content-Disposition')).toBe('attachment; filename="orders.csv"');
    const [head, line, ...rest] = found.text.trim().split('\r\n');
    expect(head?.split(',').slice(0, 2)).toEqual(['id', 'domain']);
    expect([line?.includes(market.delivered), rest]).toEqual([true, []]);
  });

  it('shows the status and timeline of an order', async () => {
    const page = readable((await viewer.open(`${sandbox()}/orders/${market.delivered}`)).text);
    expect(page).toMatch(/Status Transfer completed/);
    expect(page).toMatch(/order\.recorded .* transfer\.completed/);
  });

  it('explains a statement, with its document and its lines', async () => {
    const path = `${sandbox()}/settlements/${market.settlementId}`;
    const page = await viewer.open(path);
    expect(readable(page.text)).toMatch(/Gross sold \$6,149\.00/);
    const [, pdf = ''] =
      /href="([^"]+\/documents\/[^"]+)" download>Statement</.exec(page.text) ?? [];
    const document = await viewer.open(pdf);
    expect([document.status, document.text.slice(0, 5)]).toEqual([200, '%PDF-']);
    const foreign = pdf.replace(sandbox(), `${stranger.base}/sandbox`);
    expect((await stranger.browser.open(foreign)).status).toBe(404);
    expect((await viewer.open(pdf.replace('/sandbox/', '/live/'))).status).toBe(404);
    const lines = await viewer.open(`${path}/lines.csv`);
    expect(lines.text.trim().split('\r\n')).toHaveLength(3);
  });

  it('has the payout advice once a payout is paid', async () => {
    const reference = 'bank-0001';
    await markPayoutPaid(app.runtime, 'test', { payoutId: market.payoutId, reference });
    const page = await viewer.open(`${sandbox()}/payouts?status=paid`);
    expect(page.text).toContain(reference);
    const [, pdf = ''] = /href="([^"]+)" download>Payout advice/.exec(page.text) ?? [];
    expect((await viewer.open(pdf)).headers.get('Content-Type')).toBe('application/pdf');
    const ops = await givenVisitor(app);
    const shown = await ops.visit('/payouts?status=paid');
    const [, advice = ''] = /href="\/ops([^"]+)" download>Payout advice/.exec(shown.text) ?? [];
    expect((await ops.visit(advice)).headers.get('Content-Type')).toBe('application/pdf');
  });

  it('shows charts of the partner’s own figures', async () => {
    await countDailyFigures(app.runtime, 1_000);
    const orders = await app.runtime.db
      .knex('orders')
      .where({ partner_id: market.partnerId, environment: 'SANDBOX' });
    const page = readable((await viewer.open(sandbox())).text);
    expect(page).toContain(`Orders ${orders.length} Recorded each day.`);
    expect(page).toContain('Checkout conversion 0% Checkout sessions opened each day');
    expect(page).toContain('Referral conversion 0% Sales for each click');
    const other = readable((await stranger.browser.open(`${stranger.base}/sandbox`)).text);
    expect(other).toContain('No orders in this period.');
    expect(other).toContain('No checkout session was opened in this period.');
    expect(other).not.toContain('Referral conversion');
    expect(other).toMatch(/Get started: record a first order .* add an endpoint under Webhooks/);
    const live = readable((await stranger.browser.open(`${stranger.base}/live`)).text);
    expect(live).toContain('Get started: create a key under API keys , record a first order');
    await givenOrder(app.runtime, { partnerId: stranger.partnerId, environment: 'LIVE' });
    const sold = readable((await stranger.browser.open(`${stranger.base}/live`)).text);
    expect(sold).not.toContain('Get started');
    const weeks = await viewer.open(`${sandbox()}?unit=week`);
    expect(weeks.text).toContain('Week of');
  });

  it('shows details of checkout sessions and referral links', async () => {
    const { checkoutSessionId, linkId } = market;
    const list = await viewer.open(`${sandbox()}/checkouts`);
    expect(list.text).toContain(`href="${sandbox()}/checkouts/${checkoutSessionId}"`);
    const session = await viewer.open(`${sandbox()}/checkouts/${checkoutSessionId}`);
    expect(readable(session.text)).toMatch(
      /amberfield\.com .*Status Open .*Your reference cart-17/,
    );
    const links = await viewer.open(`${sandbox()}/referrals`);
    expect(links.text).toContain(`href="${sandbox()}/referrals/${linkId}"`);
    const link = readable((await viewer.open(`${sandbox()}/referrals/${linkId}`)).text);
    expect(link).toMatch(
      /Clicks 40 Visitors 31 .*Clicks 40 How often the link was followed each day/,
    );
  });

  it('sums the sales of a referral link in each currency', async () => {
    const affiliate = await givenAffiliate(app.runtime);
    const { browser } = await givenMember(app, 'viewer', affiliate.partnerId);
    const base = `/partner/${affiliate.partnerId}/sandbox/referrals`;
    const empty = readable((await browser.open(base)).text);
    expect(empty).toContain('No links yet. Create one with POST /v1/links.');
    const { id, code } = await givenLink(app.runtime, affiliate);
    const seller = await givenPartner(app.runtime);
    const sales = [
      [5_000, 'EUR'],
      [6_173, 'JPY'],
      [7_000, 'EUR'],
    ] as const;
    for (const [priceCents, currency] of sales) {
      const sold = { priceCents, currency };
      await givenReferredOrder(app.runtime, seller, code, sold);
    }
    const list = readable((await browser.open(base)).text);
    expect(list).toContain(' 3 €120.00 EUR ¥6,173 JPY €6.00 EUR ¥309 JPY ');
    const page = readable((await browser.open(`${base}/${id}`)).text);
    expect(page).toContain('Sales 3 Sold €120.00 EUR ¥6,173 JPY Earned €6.00 EUR ¥309 JPY Created');
    const { text } = await browser.open(`${base}?format=csv`);
    expect(text).toContain(',3,"EUR JPY","12000 6173","600 309",');
  });

  it('filters checkout sessions by their current status', async () => {
    const keys = await givenCredential(app.runtime, market.partnerId);
    const session = await givenSession(app, app.as(keys));
    const open = await viewer.open(`${sandbox()}/checkouts?status=open`);
    expect(open.text).toContain(session.domain);
    const { knex } = app.runtime.db;
    await knex('checkout_sessions').update({ expires_at: new Date(Date.now() - 1_000) });
    const after = await viewer.open(`${sandbox()}/checkouts?status=open`);
    expect(after.text).not.toContain(session.domain);
    const expired = await viewer.open(`${sandbox()}/checkouts?status=expired`);
    expect(expired.text).toContain(session.domain);
  });

  it('redirects from the partner’s base URL to the overview', async () => {
    const page = await viewer.open(`/partner/${market.partnerId}`);
    expect(page.url.pathname).toBe(sandbox());
  });
});
