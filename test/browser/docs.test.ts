import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { seedTlds } from '../../db/seeds/tlds.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { PHONE, picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { givenOwner } from '../support/oauth.ts';
import { givenClient } from '../support/oauth-client.ts';
import { orderBody } from '../support/sales.ts';
import { startSignInApp } from '../support/sign-in.ts';

let app: TestApp;
let browser: TestBrowser;
beforeAll(async () => {
  [app, browser] = await Promise.all([startSignInApp(), startBrowser()]);
  await seedTlds(app.runtime);
});
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

/** The page, and the requests that it made elsewhere. */
async function open(path: string, options?: BrowserContextOptions) {
  const opened = await browser.open(options);
  const elsewhere: string[] = [];
  opened.page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(app.url) && !url.startsWith('data:')) elsewhere.push(url);
  });
  await opened.page.goto(app.url + path);
  return { ...opened, elsewhere };
}

/** The section of a call, with its form unfolded. */
async function tryCall(page: Page, operationId: string) {
  const call = page.locator(`section[aria-labelledby="${operationId}"]`);
  await call.getByText('Try it', { exact: true }).click();
  return call;
}

describe('the API references', () => {
  it.each([
    ['public', 'Domain marketplace: public API', 'TLDs'],
    ['partner', 'Domain marketplace: partner API', 'Orders'],
  ])(
    '%s lists its calls by subject and loads nothing from other hosts',
    async (name, title, subject) => {
      const { page, faults, elsewhere } = await open(`/docs/reference/${name}`);
      await page.getByRole('heading', { name: title }).waitFor();
      await picture(page, `docs-${name}-desktop`);
      await page.getByRole('heading', { name: subject }).getByRole('link').click();
      await page.getByRole('heading', { name: subject, level: 1 }).waitFor();
      await picture(page, `docs-${name}-calls`);
      expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
    },
  );

  it('is complete without JavaScript except for the forms', async () => {
    const { page } = await open('/docs/reference/partner/orders', { javaScriptEnabled: false });
    await page.getByRole('heading', { name: 'Responses' }).first().waitFor();
    await page.getByText('POST', { exact: true }).first().waitFor();
    expect(await page.getByText('Try it', { exact: true }).first().isVisible()).toBe(false);
  });

  it('sends a request and shows the response', async () => {
    const { page, faults, elsewhere } = await open('/docs/reference/public/tlds');
    const call = await tryCall(page, 'getTldPricing');
    await call.getByRole('textbox', { name: 'tld' }).fill('com');
    await call.getByRole('button', { name: 'Send the request' }).click();
    await call.getByText(/^200 OK in \d+ ms, request req_/).waitFor();
    await call.locator('.answer').getByText('"11.08"').waitFor();
    expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
  });

  it('signs partner API requests with a SANDBOX key without sending or storing the secret', async () => {
    const { keyId, secret } = await app.partner();
    app.runtime.clock.set(new Date());
    const { page, faults, elsewhere } = await open('/docs/reference/partner/orders');
    const sent: string[] = [];
    page.on('request', (request) => {
      const told = [request.url(), JSON.stringify(request.headers()), request.postData() ?? ''];
      if (request.url().includes('/api/partner/')) sent.push(told.join('\n'));
    });
    const call = await tryCall(page, 'listOrders');
    const send = call.getByRole('button', { name: 'Send the request' });
    for (const [id, key] of [
      ['', ''],
      ['pk_live_0123456789abcdefABCDEFGH', 'sk_live_0123456789abcdefABCDEFGH'],
      [keyId, 'sk_live_0123456789abcdefABCDEFGH'],
    ] as const) {
      await page.locator('#signer-key-id').fill(id);
      await page.locator('#signer-secret').fill(key);
      await send.click();
      await call.getByRole('alert').getByText('Other keys are refused').waitFor();
    }
    expect(sent).toEqual([]);
    await page.locator('#signer-key-id').fill(keyId);
    await page.locator('#signer-secret').fill(secret);
    await call.getByRole('textbox', { name: 'limit' }).fill('2');
    await send.click();
    await call.getByText(/^200 OK in \d+ ms/).waitFor();
    await page.getByText('Canonical string of the last request').click();
    expect(await page.locator('#signer-canonical').textContent()).toMatch(
      /^GET\n\/api\/partner\/v1\/orders\nlimit=2\n/,
    );
    expect(sent).toHaveLength(1);
    expect(sent.join()).not.toContain(secret);
    expect(
      await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])'),
    ).not.toContain(secret);
    await picture(page, 'docs-partner-signed');
    expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
  });

  it('sends a body with a new Idempotency-Key for each request', async () => {
    const { keyId, secret } = await app.partner();
    app.runtime.clock.set(new Date());
    const { page } = await open('/docs/reference/partner/orders');
    await page.locator('#signer-key-id').fill(keyId);
    await page.locator('#signer-secret').fill(secret);
    const call = await tryCall(page, 'createOrder');
    const body = orderBody({ domain: 'nobody-sells-it.com', priceCents: 1_000 });
    await call.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify(body));
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') keys.push(request.headers()['idempotency-key']);
    });
    for (const _ of [1, 2]) {
      const [answer] = await Promise.all([
        page.waitForResponse((each) => each.url().endsWith('/v1/orders')),
        call.getByRole('button', { name: 'Send the request' }).click(),
      ]);
      expect(answer.status()).toBe(404);
      await call.getByText(/^404 Not Found in/).waitFor();
    }
    expect(new Set(keys).size).toBe(2);
    expect(keys).not.toContain(undefined);
  });

  it('signs in and sends the access token with later requests', async () => {
    const clientId = await givenClient(app, {
      name: 'The documents',
      redirectUris: [`${app.url}/docs/oauth2-redirect`],
    });
    const owner = await givenOwner(app.runtime);
    const { page, faults } = await open('/docs/reference/public/market');
    await page.getByText('Try it signed in').click();
    await page.getByLabel('Client ID').fill(clientId);
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Sign in', exact: true }).click(),
    ]);
    await popup.getByLabel('Email').fill(owner.email);
    await popup.getByLabel('Password').fill(PASSWORD);
    await popup.getByRole('button', { name: 'Sign in', exact: true }).click();
    await Promise.all([
      popup.waitForEvent('close'),
      popup.getByRole('button', { name: 'Allow' }).click(),
    ]);
    await page.getByRole('status').getByText('Signed in.').waitFor();
    const call = await tryCall(page, 'listListings');
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.url().includes('/api/market/listings')),
      call.getByRole('button', { name: 'Send the request' }).click(),
    ]);
    expect(await request.headerValue('Authorization')).toMatch(/^Bearer [\w-]{43}$/);
    await call.getByText(/^200 OK in/).waitFor();
    expect(faults).toEqual([]);
  });

  it('links to the other API and is readable on a phone in dark mode', async () => {
    const dark = await open('/docs/reference/public/owned-domains', {
      ...PHONE,
      colorScheme: 'dark',
    });
    for (const summary of await dark.page.locator('details:not([open]) > summary').all()) {
      if (await summary.isVisible()) await summary.click();
    }
    await picture(dark.page, 'docs-phone-dark');
    expect(await dark.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      390,
    );
    await dark.page
      .getByRole('navigation', { name: 'Sections' })
      .getByRole('link', { name: 'Partner API' })
      .click();
    await dark.page.getByRole('heading', { name: 'Domain marketplace: partner API' }).waitFor();
    expect(await dark.page.locator('nav[aria-label="Sections"] [aria-current]').textContent()).toBe(
      'Partner API',
    );
    await picture(dark.page, 'docs-partner-phone-dark');
    expect(dark.faults).toEqual([]);
  });
});
