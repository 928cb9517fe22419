import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { assetPath } from '../../api/pages/kit/assets.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { PHONE, picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { codeBlocksOf, sectionsOf } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
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

describe('the signature inspector', () => {
  const example = (title: string) =>
    codeBlocksOf(
      sectionsOf(readProjectFile('docs/signing.md')).find((each) => each.title === title)?.text ??
        '',
    );

  it('signs the documented examples exactly and sends nothing', async () => {
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

  it('creates a request that the server accepts', async () => {
    const { keyId, secret } = await app.partner();
    app.runtime.clock.set(new Date());
    const { page } = await open('/docs/signing');
    await page.getByLabel('Method').selectOption('GET');
    await page.getByLabel('Path', { exact: true }).fill('/api/partner/v1/domains/search');
    await page.getByLabel(/^Query/).fill('q=neon wallet&max_price_cents=500000');
    await page.getByLabel('Key ID').fill(keyId);
    await page.getByLabel(/^Secret/).fill(secret);
    await page.getByRole('button', { name: 'Current time and a new nonce' }).click();
    const nonce = await page.getByLabel('Nonce').inputValue();
    // The browser signs in its own time: what is shown until then is of the moment before.
    const signature = await eventually(async () => {
      const canonical = (await page.locator('#out-canonical').textContent()) ?? '';
      const hmac = createHmac('sha256', secret).update(canonical).digest('hex');
      const shown = await page.locator('#out-signature').textContent();
      return canonical.split('\n')[4] === nonce && shown === `v1=${hmac}` ? shown : '';
    });
    const answer = await fetch(
      `${app.url}/api/partner/v1/domains/search?q=neon%20wallet&max_price_cents=500000`,
      {
        headers: {
          'X-Service-Key-Id': keyId,
          'X-Service-Timestamp': await page.getByLabel('Timestamp').inputValue(),
          'X-Service-Nonce': nonce,
          'X-Service-Signature': signature,
        },
      },
    );
    expect(answer.status).toBe(200);
  });

  it('is blocked from sending requests, even by script', async () => {
    const { page } = await open('/docs/signing');
    const sent = await page.evaluate('fetch("/healthz").then(() => "sent", () => "refused")');
    expect(sent).toBe('refused');
  });
});

describe('code samples in several languages', () => {
  const shown = (page: Page) => page.locator('.sample:visible');
  const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

  it('are tabs whose selected language is kept on other pages and when going back', async () => {
    const { page, faults } = await open('/docs/quickstart');
    expect(await page.getByRole('tab').allTextContents()).toEqual([
      'curl',
      'TypeScript',
      'Python',
      'Go',
      'PHP',
    ]);
    expect(await page.getByRole('tabpanel', { name: 'curl' }).textContent()).toContain('bash');
    await tab(page, 'Python').click();
    expect(await shown(page).count()).toBe(1);
    const panel = page.getByRole('tabpanel', { name: 'Python' });
    expect(await panel.textContent()).toContain('import urllib.request');

    await page.getByRole('link', { name: 'Webhooks and events' }).first().click();
    await heading(page, 'Webhooks and events').waitFor();
    await panel.getByText('def is_genuine_and_fresh').waitFor();
    expect(await tab(page, 'Python').getAttribute('aria-selected')).toBe('true');
    await picture(page, 'portal-samples');
    await tab(page, 'Shell').click();

    await page.goBack();
    await heading(page, 'Quickstart').waitFor();
    await page.getByRole('tabpanel', { name: 'curl' }).waitFor();
    expect(await shown(page).count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it('show the selected language at first paint', async () => {
    const { page } = await open('/docs/quickstart');
    await tab(page, 'PHP').click();
    await page.goto(`${app.url}/docs/webhooks`);
    await page.getByRole('tabpanel', { name: 'PHP' }).waitFor();
    const waitedFor = await page.evaluate(
      "performance.getEntriesByType('resource').filter((each) => each.initiatorType === 'script' && each.renderBlockingStatus === 'blocking').map(({ name }) => name)",
    );
    expect(waitedFor).toEqual([app.url + assetPath('samples.js')]);
  });

  it('can be switched with the keyboard alone', async () => {
    const { page } = await open('/docs/quickstart');
    await tab(page, 'curl').focus();
    const focused = () => page.evaluate('document.activeElement.textContent');
    for (const [key, name] of [
      ['ArrowLeft', 'PHP'],
      ['ArrowRight', 'curl'],
      ['ArrowRight', 'TypeScript'],
      ['End', 'PHP'],
      ['Home', 'curl'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(name);
      expect(await page.getByRole('tabpanel').count()).toBe(1);
      await page.getByRole('tabpanel', { name }).waitFor();
    }
    // One stop for all tabs, and then what the sample offers.
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Download quickstart.sh');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Copy');
  });

  it('can be downloaded as files', async () => {
    const { page } = await open('/docs/quickstart');
    await tab(page, 'Go').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download quickstart.go' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('quickstart.go');
    const file = 'docs/examples/quickstart/quickstart.go';
    expect(readFileSync(await download.path(), 'utf8')).toBe(readProjectFile(file));
  });

  it('can be selected by URL without changing the saved language', async () => {
    const { page } = await open('/docs/quickstart#go');
    await page.getByRole('tabpanel', { name: 'Go' }).waitFor();
    await page.evaluate("location.hash = '#php'");
    await page.getByRole('tabpanel', { name: 'PHP' }).waitFor();
    await page.goto(`${app.url}/docs/webhooks`);
    await page.getByRole('tabpanel', { name: 'TypeScript' }).waitFor();
  });

  it.each([['/docs/quickstart'], ['/docs/webhooks']])(
    'can all be read without JavaScript: %s',
    async (path) => {
      const { page } = await open(path, { ...PHONE, javaScriptEnabled: false });
      expect(await page.getByRole('tab').count()).toBe(0);
      expect(await shown(page).count()).toBe(5);
      for (const name of ['TypeScript', 'Python', 'Go', 'PHP']) {
        await page.getByRole('heading', { level: 3, name, exact: true }).waitFor();
      }
      expect(await page.locator('.sample pre:visible').count()).toBe(5);
      expect(await page.getByRole('link', { name: /^Download / }).count()).toBe(5);
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
      await picture(page, `portal-no-scripts-${path.split('/').at(-1)}`);
    },
  );
});

describe('the documentation in a browser', () => {
  it('copies code and confirms it', async () => {
    const { page, faults } = await open('/docs/quickstart', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.locator('.code', { hasText: 'export KEY_ID' }).getByRole('button').click();
    await page.getByRole('status').getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain('export SECRET=sk_sandbox_');
    expect(faults).toEqual([]);
  });

  it('opens and closes its menu on a phone by touch or keyboard', async () => {
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

  it('has a skip link and visible focus', async () => {
    const { page } = await open('/docs/errors');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    await page.waitForURL(/#/);
    await page.keyboard.press('Tab');
    const inside = await page.evaluate('document.activeElement.closest("main") !== null');
    expect(inside).toBe(true);
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
  });

  it('is complete without JavaScript', async () => {
    const { page } = await open('/docs/signing', { ...PHONE, javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Quickstart' }).first().waitFor();
    await page.getByRole('heading', { name: 'The canonical string' }).waitFor();
  });

  it.each([320, 768, 1_440])('fits a window of %d px', async (width) => {
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
