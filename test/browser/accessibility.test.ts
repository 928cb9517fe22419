import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { GUIDES } from '../../api/pages/docs/guides.ts';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import { purchasePath } from '../../shared/sales/orders/purchase-link.ts';
import { registrantPath } from '../../shared/sales/orders/registrant-link.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { PHONE, picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { givenSession } from '../support/checkout.ts';
import { givenClaimLink } from '../support/claims.ts';
import { type ConsoleVisitor, givenVisitor } from '../support/console.ts';
import { CONSOLE_ENV, type ConsoleMarket, givenConsoleMarket } from '../support/console-market.ts';
import { givenListing } from '../support/factories.ts';
import { givenOwner } from '../support/oauth.ts';
import { authorizeLink, givenClient } from '../support/oauth-client.ts';
import { sell } from '../support/sales.ts';
import { startSignInApp } from '../support/sign-in.ts';
import { givenSale } from '../support/transfers.ts';

let app: TestApp;
let browser: TestBrowser;
let ops: ConsoleVisitor;
let market: ConsoleMarket;
beforeAll(async () => {
  [app, browser] = await Promise.all([startSignInApp(CONSOLE_ENV), startBrowser()]);
  ops = await givenVisitor(app);
  market = await givenConsoleMarket(app.runtime, { url: 'http://127.0.0.1:40999/hook' });
});
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

const SCREENS: [string, BrowserContextOptions][] = [
  ['desktop', {}],
  // The narrowest window that a page has to fit (WCAG 1.4.10).
  ['phone', { ...PHONE, viewport: { width: 320, height: 640 } }],
];

/** What axe and the console have against the page that is open. */
async function look(page: Page, name: string, faults: readonly string[]): Promise<void> {
  expect({ name, axe: await accessibilityFaults(page), console: faults }).toEqual({
    name,
    axe: [],
    console: [],
  });
  expect([name, await sideways(page)]).toEqual([name, 0]);
  await page.evaluate(`document.adoptedStyleSheets = [new CSSStyleSheet()];
    document.adoptedStyleSheets[0].replaceSync(${JSON.stringify(TEXT_SPACING)})`);
  expect([name, 'text spacing', await sideways(page)]).toEqual([name, 'text spacing', 0]);
  await page.evaluate('document.adoptedStyleSheets = []');
}

/** The spacing that readers may set without losing anything (WCAG 1.4.12). */
const TEXT_SPACING =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }';

/** How many pixels a page is wider than its window. */
const sideways = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe.each(SCREENS)('accessibility (%s, light and dark)', (_name, options) => {
  it('the documentation has no faults', async () => {
    const { page, faults } = await browser.open(options);
    const guides = GUIDES.map(({ slug }) => `/docs/${slug}`);
    for (const path of ['/', '/docs', '/docs/events', '/docs/status', '/docs/nowhere', ...guides]) {
      await page.goto(app.url + path);
      await look(page, path, path === '/docs/nowhere' ? [] : faults);
      faults.length = 0;
    }
  }, 240_000);

  it('the API references have no faults', async () => {
    const { page, faults } = await browser.open(options);
    for (const path of ['public', 'public/owned-domains', 'partner', 'partner/orders']) {
      await page.goto(`${app.url}/docs/reference/${path}`);
      await page.evaluate(
        'for (const each of document.querySelectorAll("details")) each.open = true',
      );
      await look(page, path, faults);
    }
  });

  it('the checkout has no faults', async () => {
    const { client } = await app.partner();
    const session = await givenSession(app, client);
    const { page, faults } = await browser.open(options);
    await page.goto(session.url);
    await look(page, 'checkout', faults);
    await page.getByRole('button', { name: /^Pay \$/ }).click();
    await page.getByRole('alert').waitFor();
    // The console of a browser tells of every 4xx.
    await look(page, 'checkout with faults', []);
    await page.goto(`${app.url}/checkout/x?pt=x`);
    await look(page, 'a link that does not work', []);
  });

  it('the brokerage page has no faults', async () => {
    const link = new URL(await progressUrl(app.runtime, market.caseId));
    const { page, faults } = await browser.open(options);
    await page.goto(app.url + link.pathname + link.search);
    await look(page, 'progress', faults);
  });

  it('the page to claim a sold domain has no faults', async () => {
    const { order } = await givenSale(app.runtime, { environment: 'LIVE' });
    const { page, faults } = await browser.open(options);
    await page.goto(app.url + (await givenClaimLink(app.runtime, order.id)));
    await page.getByRole('button', { name: `Claim ${order.domain}` }).waitFor();
    await look(page, 'claim', faults);
    await picture(page, `claim-${_name}`);
    await page.goto(`${app.url}/account/claim?t=x`);
    await look(page, 'a claim link that does not work', []);
  });

  it('the registrant and purchase pages have no faults', async () => {
    const { client } = await app.partner();
    const more = { registrant: undefined };
    const { body } = await sell(client, await givenListing(app.runtime), { more }).expect(201);
    const { page, faults } = await browser.open(options);
    await page.goto(app.url + (await registrantPath(app.runtime.tokens, body.public_id)));
    await look(page, 'registrant', faults);
    const link = { orderId: body.public_id, isMailed: true };
    await page.goto(app.url + (await purchasePath(app.runtime.tokens, link)));
    await look(page, 'purchase', faults);
    await picture(page, `purchase-${_name}`);
    await page.goBack();
    await page.getByLabel('City').fill('القاهرة');
    await page.getByRole('button', { name: 'Register it here' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('City').inputValue()).toBe('القاهرة');
    await look(page, 'registrant with faults', []);
    await picture(page, `registrant-${_name}`);
  });

  it('the account and partner pages have no faults', async () => {
    const { page, faults } = await browser.open(options);
    const { id, email } = await givenOwner(app.runtime);
    for (const path of ['/account/sign-up', '/account/reset', '/account/sign-in']) {
      await page.goto(app.url + path);
      await look(page, path, faults);
    }
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
    await page.goto(`${app.url}/account/security`);
    await look(page, 'account security', faults);
    await picture(page, `account-${_name}`);
    await page.getByRole('link', { name: 'Set up an authenticator app' }).click();
    await page.getByLabel('Current password').fill(PASSWORD);
    await look(page, 'authenticator, password', faults);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Code').waitFor();
    await look(page, 'authenticator', faults);
    await picture(page, `authenticator-${_name}`);
    await page.goto(`${app.url}/partner`);
    await look(page, 'partners', faults);
    const membership = { partner_id: market.partnerId, user_id: id, role: 'admin' };
    await app.runtime.db.knex('partner_members').insert({ ...membership, created_at: new Date() });
    await page.goto(`${app.url}/partner/${market.partnerId}/keys`);
    await look(page, 'keys of a partner', faults);
    await picture(page, `partner-keys-${_name}`);
  }, 120_000);

  it('sign-in and consent have no faults', async () => {
    const redirect_uri = 'http://127.0.0.1:40998/callback';
    const clientId = await givenClient(app, { name: 'A helper', redirectUris: [redirect_uri] });
    const owner = await givenOwner(app.runtime);
    const { page, faults } = await browser.open(options);
    await page.goto(authorizeLink(app, clientId, { redirect_uri }).link.href);
    await look(page, 'sign-in', faults);
    await page.getByLabel('Email address').fill(owner.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await look(page, 'consent', faults);
  });

  it('the ops console has no faults', async () => {
    const { page, faults } = await browser.open(options);
    await page.goto(`${app.url}/ops`);
    await look(page, 'ops sign-in', faults);
    await page.getByLabel('Email address').fill(ops.email);
    await page.getByLabel('Password').fill(ops.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const paths = [
      '',
      '/review',
      '/transfers',
      '/orders',
      `/orders/${market.delivered}`,
      '/brokerage',
      `/brokerage/${market.caseId}`,
      '/payouts',
      '/settlements',
      `/settlements/${market.settlementId}`,
      '/webhooks',
      `/webhooks/SANDBOX/${market.partnerId}`,
      `/webhooks/${market.secondEndpointId}`,
      `/webhooks/${market.secondEndpointId}/replays`,
      `/do/webhook-replay?endpoint=${market.secondEndpointId}`,
      '/partners',
      `/partners/${market.partnerId}`,
      '/listings?environment=SANDBOX',
      '/do/listing-add',
      '/listings/import',
      `/listings/imports/${market.importId}`,
      '/owners',
      '/transfers-out',
      '/bulk-jobs',
      `/bulk-jobs/${market.bulkJobId}`,
      '/payments',
      '/referrals',
      '/ledger',
      '/audit',
      '/search?q=north',
      `/do/order-refund?order=${market.delivered}`,
    ];
    for (const path of paths) {
      await page.goto(`${app.url}/ops${path}`);
      await look(page, `/ops${path}`, faults);
    }
  });
});
