import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { countDailyFigures } from '../../shared/operations/daily-figures/daily-figures.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { CONSOLE_ENV, type ConsoleMarket, givenConsoleMarket } from '../support/console-market.ts';
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
  await countDailyFigures(app.runtime, 1_000);
}, 60_000);
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

async function signIn(page: Page): Promise<void> {
  await page.goto(`${app.url}/account/sign-in?next=/partner`);
  await page.getByLabel('E-mail address').fill(email);
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
  brokerage: '/brokerage',
  case: `/brokerage/${market.caseId}`,
  referrals: '/referrals',
  webhooks: '/webhooks',
  'webhook-new': '/webhooks/new',
  endpoint: `/webhooks/${market.secondEndpointId}`,
  'endpoint-edit': `/webhooks/${market.secondEndpointId}/edit`,
  deliveries: '/webhooks/deliveries',
  events: '/events',
  requests: '/requests',
  request: `/requests/${market.requestId}`,
  team: '/team',
});

const WIDTHS = [390, 768, 1_280];

describe('the partner site in a browser', () => {
  it('has no faults at any width, light or dark', async () => {
    const { page, faults } = await browser.open();
    await signIn(page);
    for (const [name, path] of Object.entries(pages())) {
      await page.goto(`${app.url}/partner/${market.partnerId}/sandbox${path}`);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const tooWide = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        await page.emulateMedia({ colorScheme: 'light' });
        await picture(page, `partner-${width}-${name}`);
        // Looks at both lights.
        const axe = await accessibilityFaults(page);
        expect({ name, width, tooWide, axe }).toEqual({ name, width, tooWide: 0, axe: [] });
      }
    }
    expect(faults).toEqual([]);
  }, 480_000);

  it('leads from a sale to its order and its statement, and to the other environment', async () => {
    const { page } = await browser.open();
    await signIn(page);
    await page.getByRole('link', { name: market.partnerName }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByRole('link', { name: 'quietmeadow.com' }).click();
    await page.getByRole('heading', { name: 'quietmeadow.com' }).waitFor();
    await page.getByRole('link', { name: 'LIVE' }).click();
    await page.getByText('No orders match.').waitFor();
    expect(page.url()).toContain('/live/orders');
  });
});
