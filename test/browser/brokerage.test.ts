import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { moveCase } from '../../shared/sales/brokerage/case-lifecycle.ts';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import { getCaseById } from '../../shared/sales/brokerage/read-cases.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { bringTo, givenCase } from '../support/brokerage.ts';
import { PHONE, picture, startBrowser, type TestBrowser } from '../support/browser.ts';

let app: TestApp;
let browser: TestBrowser;
let owner: { partnerId: string; environment: 'SANDBOX' | 'LIVE' };

beforeAll(async () => {
  app = await startTestApp();
  browser = await startBrowser();
  owner = await app.partner();
});
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

/** A case on which a price is being talked about, and the address of its page. */
async function negotiated(domain?: string) {
  const opened = await givenCase(app.runtime, owner, domain === undefined ? {} : { domain });
  await bringTo(app.runtime, opened.id, 'NEGOTIATING');
  await app.runtime.db.transact((uow) =>
    moveCase(uow, app.runtime, {
      caseId: opened.id,
      to: 'NEGOTIATING',
      by: 'ops',
      offerCents: 620_000,
    }),
  );
  const link = new URL(await progressUrl(app.runtime, opened.id));
  const found = async () => (await getCaseById(app.runtime, opened.id)).found;
  return { ...opened, url: app.url + link.pathname + link.search, found };
}

/** How far the page can be pushed sideways, in pixels. */
const overhang = (page: Page) =>
  page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  ) as Promise<number>;

describe('the brokerage page in a browser', () => {
  it('raises the budget and cancels without JavaScript', async () => {
    const { url, found, domain } = await negotiated();
    const { page, faults } = await browser.open({ javaScriptEnabled: false });
    await page.goto(url);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(domain);
    await picture(page, 'brokerage-negotiating');

    await page.getByLabel('New budget (USD)').fill('4,000');
    await page.getByRole('button', { name: 'Raise budget' }).click();
    await page.getByRole('alert').getByText('must be more than $5,000.00').waitFor();
    await picture(page, 'brokerage-too-low');

    await page.getByLabel('New budget (USD)').fill('6,500');
    await page.getByRole('button', { name: 'Raise budget' }).click();
    await page.getByRole('status').getByText('Your budget was raised.').waitFor();
    expect((await found()).budget.amount).toBe(650_000);
    await page.reload();
    expect((await found()).budget.amount).toBe(650_000);

    await page.getByText('Cancel the request').first().click();
    await page.getByRole('checkbox').check();
    await picture(page, 'brokerage-cancelling');
    await page.getByRole('button', { name: 'Cancel the request' }).click();
    await page.getByRole('heading', { name: 'Your request is canceled' }).waitFor();
    expect((await found()).status).toBe('CANCELLED');
    await picture(page, 'brokerage-cancelled');
    expect(faults).toEqual([
      'Failed to load resource: the server responded with a status of 400 (Bad Request)',
    ]);
  });

  it('works with the keyboard alone', async () => {
    const { url, found } = await negotiated();
    const { page } = await browser.open();
    await page.goto(url);
    // Past the offer: accept, counter, send, decline.
    for (let i = 0; i < 5; i += 1) await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('budget');
    await page.keyboard.type('7000');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    expect((await found()).budget.amount).toBe(700_000);
  });

  it('loads nothing from other hosts and reports no errors', async () => {
    const { url, id } = await negotiated();
    const { page, faults } = await browser.open();
    const hosts = new Set<string>();
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host);
    });
    for (const status of ['AGREED', 'COMPLETED'] as const) {
      await app.runtime.db.transact((uow) =>
        moveCase(uow, app.runtime, {
          caseId: id,
          to: status,
          by: 'ops',
          ...(status === 'COMPLETED' && { dealPriceCents: 620_000 }),
        }),
      );
      await page.goto(url);
      await picture(page, `brokerage-${status.toLowerCase()}`);
    }
    expect([...hosts]).toEqual([new URL(app.url).host]);
    expect(faults).toEqual([]);
  });

  it.each([
    ['light', 390],
    ['dark', 320],
  ] as const)('fits a phone (%s, %i px) even with a long name', async (colorScheme, width) => {
    const long = `${'a-very-long-name-'.repeat(3)}${width}x.international`;
    const { url } = await negotiated(long);
    const viewport = { width, height: 844 };
    const { page } = await browser.open({ ...PHONE, viewport, colorScheme });
    await page.goto(url);
    await page.getByText('Cancel the request').first().click();
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    await picture(page, `brokerage-phone-${colorScheme}`);
  });

  it('explains that a link does not work', async () => {
    const { url } = await negotiated();
    const { page } = await browser.open(PHONE);
    await page.goto(`${url}x`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      'This link doesn’t work',
    );
    await picture(page, 'brokerage-bad-link');
  });
});
