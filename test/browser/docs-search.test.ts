import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { PHONE, picture, startBrowser, type TestBrowser } from '../support/browser.ts';

let app: TestApp;
let browser: TestBrowser;
beforeAll(async () => {
  [app, browser] = await Promise.all([startTestApp(), startBrowser()]);
});
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

describe('the documentation search', () => {
  it('can be opened, used and left with the keyboard alone', async () => {
    const { page, faults } = await browser.open();
    await page.goto(`${app.url}/docs/errors`);
    await page.keyboard.press('/');
    await page.waitForURL(`${app.url}/docs/search`);
    await page.locator('#search-words:focus').waitFor();
    await page.keyboard.type('canonical str');
    await page.waitForURL(`${app.url}/docs/search?q=canonical+str`);
    await page.getByRole('status').getByText('sections').waitFor();
    await page.keyboard.type('/');
    expect(await page.getByLabel('Search the documentation').inputValue()).toBe('canonical str/');
    // The address changes with the results, which would take the focus along.
    await page.waitForURL(`${app.url}/docs/search?q=canonical+str%2F`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${app.url}/docs/signing#the-canonical-string`);
    expect(faults).toEqual([]);
  });

  it('restores the query from the URL and says when nothing matches', async () => {
    const { page } = await browser.open();
    await page.goto(`${app.url}/docs/search?q=test+cards`);
    await page.getByRole('link', { name: 'Test cards' }).waitFor();
    await page.getByLabel('Search the documentation').fill('zzzzqqq');
    await page.getByRole('status').getByText('Nothing matches “zzzzqqq”').waitFor();
    expect(await page.locator('#results li').count()).toBe(0);
  });

  it('works without JavaScript', async () => {
    const { page } = await browser.open({ ...PHONE, javaScriptEnabled: false });
    await page.goto(`${app.url}/docs/search`);
    await page.getByLabel('Search the documentation').fill('refund');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(`${app.url}/docs/search?q=refund`);
    expect(await page.locator('#results li').count()).toBeGreaterThan(5);
    await picture(page, 'docs-search-390-plain');
  });

  it.each([390, 768, 1_280])('has no accessibility faults at %d px', async (width) => {
    const { page, faults } = await browser.open({ viewport: { width, height: 900 } });
    await page.goto(`${app.url}/docs/search?q=webhook+signature`);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await picture(page, `docs-search-${width}`);
    expect(faults).toEqual([]);
  });
});
