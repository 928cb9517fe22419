import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { startTestApp, type TestApp } from '../support/app.ts';
import { PHONE, picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { codeBlocksOf, sectionsOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

let app: TestApp;
let browser: TestBrowser;
beforeAll(async () => {
  [app, browser] = await Promise.all([startTestApp(), startBrowser()]);
});
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

const open = async (path: string, options?: BrowserContextOptions) => {
  const opened = await browser.open(options);
  const requests: string[] = [];
  opened.page.on('request', (request) => requests.push(request.url()));
  await opened.page.goto(app.url + path);
  return { ...opened, requests };
};

describe('the inspector', () => {
  const example = (title: string) =>
    codeBlocksOf(
      sectionsOf(readProjectFile('docs/signing.md')).find((each) => each.title === title)?.text ??
        '',
    );

  it('signs the worked examples as the page prints them, and sends nothing', async () => {
    const { page, faults, requests } = await open('/docs/signing');
    const out = (name: string) => page.locator(`#out-${name}`);
    const [post = '', postHeader = ''] = example('Worked example: a POST');
    const printed = (header: string) => header.replace('X-Service-Signature: ', '');
    await out('signature').getByText(printed(postHeader)).waitFor();
    expect(await out('canonical').textContent()).toBe(post);
    expect(await out('hash').textContent()).toBe(post.split('\n').at(-1));
    const loaded = requests.length;

    const [get = '', getHeader = ''] = example('Worked example: a GET');
    await page.getByLabel('Method').selectOption('GET');
    await page.getByLabel('Path', { exact: true }).fill('/api/partner/v1/domains/search');
    await page.getByLabel(/^Query/).fill('tld=com,io&q=coffee+shop+(Berlin)');
    await page.getByLabel('Nonce').fill(get.split('\n')[4] ?? '');
    await out('signature').getByText(printed(getHeader)).waitFor();
    expect(await out('canonical').textContent()).toBe(get);
    const curl = (await out('curl').textContent()) ?? '';
    expect(curl).toContain(printed(getHeader));
    expect(curl).not.toContain('sk_sandbox');

    await page.getByLabel(/^Query/).fill('q=%');
    await page.getByRole('alert').getByText('The query can’t be decoded').waitFor();
    await picture(page, 'portal-signing');
    expect(requests.slice(loaded)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('makes a request that the server takes', async () => {
    const { keyId, secret } = await app.partner();
    app.runtime.clock.set(new Date());
    const { page } = await open('/docs/signing');
    await page.getByLabel('Method').selectOption('GET');
    await page.getByLabel('Path', { exact: true }).fill('/api/partner/v1/domains/search');
    await page.getByLabel(/^Query/).fill('q=neon wallet&max_price_cents=500000');
    await page.getByLabel('Key id').fill(keyId);
    await page.getByLabel(/^Secret/).fill(secret);
    await page.getByRole('button', { name: 'Current time and a new nonce' }).click();
    const signature = await page.locator('#out-signature').textContent();
    const answer = await fetch(
      `${app.url}/api/partner/v1/domains/search?q=neon%20wallet&max_price_cents=500000`,
      {
        headers: {
          'X-Service-Key-Id': keyId,
          'X-Service-Timestamp': await page.getByLabel('Timestamp').inputValue(),
          'X-Service-Nonce': await page.getByLabel('Nonce').inputValue(),
          'X-Service-Signature': signature ?? '',
        },
      },
    );
    expect(answer.status).toBe(200);
  });

  it('can reach nothing, whatever a script tries', async () => {
    const { page } = await open('/docs/signing');
    const sent = await page.evaluate('fetch("/healthz").then(() => "sent", () => "refused")');
    expect(sent).toBe('refused');
  });
});

describe('the portal in a browser', () => {
  it('copies code, and says so', async () => {
    const { page, faults } = await open('/docs/quickstart', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.locator('.code', { hasText: 'export KEY_ID' }).getByRole('button').click();
    await page.getByRole('status').getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain('export SECRET=sk_sandbox_...');
    expect(faults).toEqual([]);
  });

  it('opens its pages on a phone with a finger or the keyboard, and closes them again', async () => {
    const { page, faults } = await open('/docs/errors', PHONE);
    const menu = page.getByRole('button', { name: 'All pages' });
    const pages = page.getByRole('navigation', { name: 'All pages' });
    expect(await pages.isVisible()).toBe(false);
    await menu.tap();
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    expect(await pages.locator('[aria-current]').textContent()).toBe('Errors');
    await picture(page, 'portal-phone-menu');
    await page.keyboard.press('Escape');
    expect(await pages.isVisible()).toBe(false);
    await menu.tap();
    await pages.getByRole('link', { name: 'Webhooks and events' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Webhooks and events' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('leads the keyboard past the navigation, and shows where it is', async () => {
    const { page } = await open('/docs/errors');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const inside = await page.evaluate('document.activeElement.closest("main") !== null');
    expect(inside).toBe(true);
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
  });

  it('is all there without scripts', async () => {
    const { page } = await open('/docs/signing', { ...PHONE, javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Quickstart' }).first().waitFor();
    await page.getByRole('heading', { name: 'The canonical string' }).waitFor();
  });

  it.each([320, 768, 1_440])('fits a window of %d pixels', async (width) => {
    for (const [name, path] of [
      ['landing', '/'],
      ['home', '/docs'],
      ['quickstart', '/docs/quickstart'],
      ['signing', '/docs/signing'],
      ['money', '/docs/money'],
      ['webhooks', '/docs/webhooks'],
      ['status', '/docs/status'],
    ] as const) {
      const colorScheme = width === 768 ? 'dark' : 'light';
      const { page, faults } = await open(path, { viewport: { width, height: 900 }, colorScheme });
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect([path, wide]).toEqual([path, width]);
      await picture(page, `portal-${name}-${width}`);
      expect(faults).toEqual([]);
      await page.context().close();
    }
  });
});
