import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { countDailyFigures } from '../../shared/operations/daily-figures/daily-figures.ts';
import { changeBrand } from '../../shared/people/partners/change-mail-settings.ts';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { accessibilityFaults, expectNoFaultsAtAnyWidth } from '../support/axe.ts';
import { PHONE, startBrowser, type TestBrowser } from '../support/browser.ts';
import { givenSession } from '../support/checkout.ts';
import { CONSOLE_ENV, type ConsoleMarket, givenConsoleMarket } from '../support/console-market.ts';
import { givenCredential } from '../support/factories.ts';
import { givenMember } from '../support/partner-site.ts';
import { startSignInApp } from '../support/sign-in.ts';

let app: TestApp;
let browser: TestBrowser;
let market: ConsoleMarket;
let email: string;
beforeAll(async () => {
  [app, browser] = await Promise.all([startSignInApp(CONSOLE_ENV), startBrowser()]);
  market = await givenConsoleMarket(app.runtime, { url: 'http://127.0.0.1:40999/hook' });
  email = (await givenMember(app, 'admin', market.partnerId)).email;
  await changeBrand(app.runtime, 'test', {
    partnerId: market.partnerId,
    displayName: 'Fern & Field',
    accentColor: '#ffd400',
    logoUrl: 'https://cdn.fernfield.example/logo.svg',
    supportUrl: 'https://fernfield.example/help',
    termsUrl: 'https://fernfield.example/terms',
  });
  await countDailyFigures(app.runtime, 1_000);
}, 60_000);
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="#0b6e4f"/></svg>';

/** A page to which the server of the logo answers. */
async function openPage() {
  const opened = await browser.open();
  await opened.page.route('https://cdn.fernfield.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: LOGO }),
  );
  return opened;
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`${app.url}/account/sign-in?next=/partner`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

const pages = () => ({
  overview: '',
  orders: '/orders',
  'orders-none': '/orders?domain=nothing-like-it.com',
  order: `/orders/${market.refunded}`,
  settlements: '/settlements',
  settlement: `/settlements/${market.settlementId}`,
  payouts: '/payouts',
  payout: `/payouts/${market.payoutId}`,
  checkouts: '/checkouts',
  checkout: `/checkouts/${market.checkoutSessionId}`,
  brokerage: '/brokerage',
  case: `/brokerage/${market.caseId}`,
  referrals: '/referrals',
  referral: `/referrals/${market.linkId}`,
  webhooks: '/webhooks',
  'webhook-new': '/webhooks/new',
  endpoint: `/webhooks/${market.secondEndpointId}`,
  'endpoint-edit': `/webhooks/${market.secondEndpointId}/edit`,
  deliveries: '/webhooks/deliveries',
  events: '/events',
  requests: '/requests',
  request: `/requests/${market.requestId}`,
  clock: '/clock',
  branding: '/branding',
  team: '/team',
});

describe('the partner site in a browser', () => {
  it('has no faults at any width, light or dark', async () => {
    const { page, faults } = await openPage();
    await signIn(page);
    for (const [name, path] of Object.entries(pages())) {
      await page.goto(`${app.url}/partner/${market.partnerId}/sandbox${path}`);
      await expectNoFaultsAtAnyWidth(page, `partner-${name}`);
    }
    for (const [name, path] of [
      ['keys', '/keys'],
      ['key', `/keys/${market.keyId}`],
    ] as const) {
      await page.goto(`${app.url}/partner/${market.partnerId}${path}`);
      await expectNoFaultsAtAnyWidth(page, `partner-${name}`);
    }
    expect(faults).toEqual([]);
  }, 480_000);

  it('shows the partner’s brand on buyer pages at any width, light or dark', async () => {
    const { page, faults } = await openPage();
    const keys = await givenCredential(app.runtime, market.partnerId);
    const session = await givenSession(app, app.as(keys));
    const { pathname, search } = new URL(await progressUrl(app.runtime, market.caseId));
    for (const [name, url] of [
      ['brand-checkout', session.url],
      ['brand-brokerage', app.url + pathname + search],
    ] as const) {
      await page.goto(url);
      await page.getByText('Fern & Field', { exact: true }).waitFor();
      await expectNoFaultsAtAnyWidth(page, `partner-${name}`);
      const back = await page.evaluate<string>(
        "getComputedStyle(document.querySelector(':is(button, .button).primary')).backgroundColor",
      );
      expect([name, back]).toEqual([name, 'rgb(255, 212, 0)']);
    }
    expect(faults).toEqual([]);
  }, 120_000);

  it('prints as dark tables without what can be pressed, also for readers of dark pages', async () => {
    const { page } = await browser.open({ viewport: { width: 718, height: 1_000 } });
    await signIn(page);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const path of ['/orders', `/settlements/${market.settlementId}`]) {
      await page.goto(`${app.url}/partner/${market.partnerId}/sandbox${path}`);
      const shown = await page.evaluate(`({
        pressed: [...document.querySelectorAll('button, .button, nav, form, header')]
          .filter((each) => each.checkVisibility()).length,
        head: getComputedStyle(document.querySelector('.cards thead')).display,
        ink: getComputedStyle(document.body).color,
        sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        cut: [...document.querySelectorAll('.scroll')]
          .filter((each) => each.scrollWidth > document.documentElement.clientWidth).length,
      })`);
      expect([path, shown]).toEqual([
        path,
        { pressed: 0, head: 'table-header-group', ink: 'rgb(24, 32, 51)', sideways: 0, cut: 0 },
      ]);
    }
  });

  it('marks the section where the reader is in colors that the reader has chosen, too', async () => {
    const { page } = await browser.open({ forcedColors: 'active' });
    await signIn(page);
    await page.goto(`${app.url}/partner/${market.partnerId}/sandbox/orders`);
    const lines = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.sections a')].map((each) => getComputedStyle(each).borderBottomColor)",
    );
    const line = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('.sections [aria-current]')).borderBottomColor",
    );
    expect(lines.filter((each) => each === line)).toHaveLength(1);
  });

  it('navigates from the orders to an order and to the LIVE environment', async () => {
    const { page } = await browser.open();
    await signIn(page);
    await page.getByRole('link', { name: market.partnerName }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByRole('link', { name: 'quietmeadow.com' }).click();
    await page.getByRole('heading', { name: 'quietmeadow.com' }).waitFor();
    await page.getByRole('link', { name: 'LIVE', exact: true }).click();
    await page.getByText('No orders match.').waitFor();
    expect(page.url()).toContain('/live/orders');
  });

  it('has its sections behind a menu on a phone, without JavaScript', async () => {
    const { page } = await browser.open({ ...PHONE, javaScriptEnabled: false });
    await signIn(page);
    await page.goto(`${app.url}/partner/${market.partnerId}/sandbox`);
    const orders = page.getByRole('link', { name: 'Orders', exact: true });
    const open = page.getByRole('button', { name: 'Menu' });
    expect(await orders.isVisible()).toBe(false);
    await open.tap();
    await orders.waitFor();
    await page.keyboard.press('Escape');
    await orders.waitFor({ state: 'hidden' });
    expect(await open.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Close' }).tap();
    await orders.waitFor({ state: 'hidden' });
    await open.tap();
    await orders.tap();
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
    await open.tap();
    await page.getByRole('button', { name: 'Sign out' }).tap();
    await page.waitForURL(/sign-in/);
  });

  it('has no faults in its menu on a phone, light or dark', async () => {
    const { page, faults } = await browser.open(PHONE);
    await signIn(page);
    await page.goto(`${app.url}/partner/${market.partnerId}/sandbox`);
    await page.getByRole('button', { name: 'Menu' }).tap();
    expect({ axe: await accessibilityFaults(page), faults }).toEqual({ axe: [], faults: [] });
  });
});
