import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Listing } from '../../shared/market/inventory/listing.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import type { TestApp } from './app.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { CARDS } from './checkout.ts';
import { givenSearchableListing } from './inventory.ts';
import { openShop, type TestShop } from './shop.ts';
import { startSignInApp } from './sign-in.ts';
import { TRANSFER_QUEUES } from './transfer-scene.ts';

/** Transfers are manual, so that a test can inspect each step of an order for as long as it likes. */
const ENV = {
  TRANSFER_POLICY_SANDBOX: 'manual',
  sandboxRegistrarDelayMs: 1,
  transferPollMs: 50,
  outboxPollMs: 50,
};
const YOGA = [
  ['yogazen.com', 1_261_000],
  ['calmyoga.com', 842_000],
  ['yogahaven.co', 327_500],
  ['sunnyyoga.app', 72_000],
  ['yogahouse.io', 185_500],
] as const;

/** The sample shop in front of a marketplace with workers, and a browser. Five yoga names are for sale. */
export interface ShopScene {
  app: TestApp;
  shop: TestShop;
  browser: TestBrowser;
  /** Lists a name for sale, by default at 4,850.00 USD. */
  given(domain: string, priceCents?: number, category?: string): Promise<Listing>;
  /** Opens the front page as a new visitor. */
  visit(options?: BrowserContextOptions): ReturnType<TestBrowser['open']>;
  stop(): Promise<void>;
}

export async function startShopScene(): Promise<ShopScene> {
  const [app, browser] = await Promise.all([startSignInApp(ENV), startBrowser()]);
  const fleet = startWorkers(app.runtime, { queues: ['webhooks', ...TRANSFER_QUEUES] });
  const shop = await openShop(app, await app.partner());
  const given: ShopScene['given'] = (domain, priceCents = 485_000, category = 'Sandbox') =>
    givenSearchableListing(app.runtime, { domain, priceCents, category });
  for (const [domain, priceCents] of YOGA) await given(domain, priceCents, 'Yoga');
  return {
    app,
    shop,
    browser,
    given,
    async visit(options) {
      const opened = await browser.open(options);
      await opened.page.goto(shop.url);
      return opened;
    },
    async stop() {
      await browser.stop();
      await shop.stop();
      await fleet.stop();
      await app.stop();
    },
  };
}

/** Waits until the page has this heading. */
export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

export const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).click();

/** The button of a search result. */
export const getThis = (domain: string) => `Get this name ${domain}`;

export async function search(page: Page, words: string): Promise<void> {
  await page.getByLabel('What is your name for?').fill(words);
  await press(page, 'Search');
}

/** Navigates to the quote of a name that is for sale. */
export async function quote(page: Page, domain: string): Promise<void> {
  await search(page, domain);
  await press(page, getThis(domain));
  await heading(page, domain);
}

/** Fills in the checkout page, and pays. */
export async function payWith(page: Page, card: string): Promise<void> {
  await page.getByLabel('Email address').fill('buyer@example.com');
  await page.getByLabel('Full name').fill('Ada Buyer');
  await page.getByLabel('Country').selectOption('DE');
  await page.getByLabel('Card number').fill(card);
  await page.getByLabel('Expiry date').fill('12/39');
  await page.getByLabel('Security code').fill('123');
  await press(page, /^Pay \$/);
}

/** Goes from the quote to the order page; returns the order's id. */
export async function pay(page: Page): Promise<string> {
  await press(page, /^Pay \$/);
  await payWith(page, CARDS.good);
  await page.getByRole('link', { name: /^Return to/ }).click();
  const text = await page.getByText(/^Order ord_/).textContent();
  return text?.slice('Order '.length) ?? '';
}

/** Goes from the search to the order page; returns the order's id. */
export async function buy(page: Page, domain: string): Promise<string> {
  await quote(page, domain);
  return pay(page);
}
