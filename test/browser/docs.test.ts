import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { seedTlds } from '../../db/seeds/tlds.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { PHONE, picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { givenOwner } from '../support/oauth.ts';
import { givenClient } from '../support/oauth-client.ts';
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

/** The page, once its document is shown, and the requests that it made elsewhere. */
async function open(path: string, options?: BrowserContextOptions) {
  const opened = await browser.open(options);
  const elsewhere: string[] = [];
  opened.page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(app.url) && !url.startsWith('data:')) elsewhere.push(url);
  });
  await opened.page.goto(app.url + path);
  await opened.page.locator('.opblock').first().waitFor();
  return { ...opened, elsewhere };
}

describe('the references of the APIs', () => {
  it.each([
    ['/docs/reference/public', 'public', 'Domain marketplace: public API'],
    ['/docs/reference/partner', 'partner', 'Domain marketplace: partner API'],
  ])(
    '%s shows every call with nothing from elsewhere and no complaint',
    async (path, name, title) => {
      const { page, faults, elsewhere } = await open(path);
      await page.getByRole('heading', { name: title }).waitFor();
      const file = name === 'public' ? '/openapi.json' : '/openapi-partner.json';
      const document = (await (await fetch(app.url + file)).json()) as { paths: object };
      const verbs = ['get', 'post', 'put', 'patch', 'delete'];
      const calls = Object.values(document.paths).flatMap((item: object) =>
        Object.keys(item).filter((key) => verbs.includes(key)),
      );
      expect(await page.locator('.opblock:not(.opblock-webhook)').count()).toBeGreaterThanOrEqual(
        calls.length,
      );
      await picture(page, `docs-${name}-desktop`);
      await page.locator('.opblock-summary-control').first().click();
      await page.locator('.opblock.is-open .responses-inner').waitFor();
      expect(await page.getByRole('button', { name: 'Try it out' }).count()).toBe(1);
      await picture(page, `docs-${name}-open`);
      expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
    },
  );

  it('sends a request and shows its answer', async () => {
    const { page, faults, elsewhere } = await open('/docs/reference/public');
    const call = page.locator('[id$="-getTldPricing"]');
    await call.locator('.opblock-summary-control').click();
    await call.getByRole('button', { name: 'Try it out' }).click();
    await call.getByPlaceholder('tld').fill('com');
    await call.getByRole('button', { name: 'Execute' }).click();
    await call.locator('.live-responses-table .response-col_status').getByText('200').waitFor();
    await call.locator('.live-responses-table').getByText('"11.08"').waitFor();
    expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
  });

  it('signs a request of the partner API with a SANDBOX key, which it neither sends nor keeps', async () => {
    const { keyId, secret } = await app.partner();
    app.runtime.clock.set(new Date());
    const { page, faults, elsewhere } = await open('/docs/reference/partner');
    const sent: string[] = [];
    page.on('request', (request) => {
      const told = [request.url(), JSON.stringify(request.headers()), request.postData() ?? ''];
      if (request.url().includes('/api/partner/')) sent.push(told.join('\n'));
    });
    const call = page.locator('[id$="-listOrders"]');
    await call.locator('.opblock-summary-control').click();
    await call.getByRole('button', { name: 'Try it out' }).click();
    const execute = call.getByRole('button', { name: 'Execute' });
    for (const [id, key] of [
      ['', ''],
      ['pk_live_0123456789abcdefABCDEFGH', 'sk_live_0123456789abcdefABCDEFGH'],
      [keyId, 'sk_live_0123456789abcdefABCDEFGH'],
    ] as const) {
      await page.locator('#signer-key-id').fill(id);
      await page.locator('#signer-secret').fill(key);
      await execute.click();
      await page.getByRole('alert').getByText('Other keys are refused').waitFor();
    }
    expect(sent).toEqual([]);
    await page.locator('#signer-key-id').fill(keyId);
    await page.locator('#signer-secret').fill(secret);
    await execute.click();
    await call.locator('.live-responses-table .response-col_status').getByText('200').waitFor();
    await call.locator('.live-responses-table').getByText('ms').first().waitFor();
    await page.getByText('Canonical string of the last request').click();
    expect(await page.locator('#signer-canonical').textContent()).toMatch(
      /^GET\n\/api\/partner\/v1\/orders\n/,
    );
    expect(sent).toHaveLength(1);
    expect(sent.join()).not.toContain(secret);
    expect(
      await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])'),
    ).not.toContain(secret);
    await picture(page, 'docs-partner-signed');
    expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
  });

  it('signs in, and sends the token with what it asks then', async () => {
    const clientId = await givenClient(app, {
      name: 'The documents',
      redirectUris: [`${app.url}/docs/oauth2-redirect`],
    });
    const owner = await givenOwner(app.runtime);
    const { page, faults } = await open('/docs/reference/public');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = page.locator('.modal-ux');
    await dialog.getByLabel('client_id:').fill(clientId);
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      dialog.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click(),
    ]);
    await popup.getByLabel('E-mail').fill(owner.email);
    await popup.getByLabel('Password').fill(PASSWORD);
    await popup.getByRole('button', { name: 'Sign in', exact: true }).click();
    await Promise.all([
      popup.waitForEvent('close'),
      popup.getByRole('button', { name: 'Allow' }).click(),
    ]);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const call = page.locator('[id$="-listListings"]');
    await call.locator('.opblock-summary-control').click();
    await call.getByRole('button', { name: 'Try it out' }).click();
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.url().includes('/api/market/listings')),
      call.getByRole('button', { name: 'Execute' }).click(),
    ]);
    expect(await request.headerValue('Authorization')).toMatch(/^Bearer [\w-]{43}$/);
    await call.locator('.live-responses-table .response-col_status').getByText('200').waitFor();
    expect(faults).toEqual([]);
  });

  it('leads from one API to the other, and is readable on a phone and in the dark', async () => {
    const dark = await open('/docs/reference/public', { ...PHONE, colorScheme: 'dark' });
    await picture(dark.page, 'docs-phone-dark');
    const background = await dark.page.evaluate(
      'getComputedStyle(document.querySelector(".swagger-ui")).backgroundColor',
    );
    expect(background).toBe('rgb(16, 20, 31)');
    expect(await dark.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      390,
    );
    await dark.page.getByRole('link', { name: 'Partner API' }).click();
    await dark.page.getByRole('heading', { name: 'Domain marketplace: partner API' }).waitFor();
    expect(await dark.page.locator('nav [aria-current]').textContent()).toBe('Partner API');
    await picture(dark.page, 'docs-partner-phone-dark');
    expect(dark.faults).toEqual([]);

    const tablet = await open('/docs/reference/public', {
      viewport: { width: 768, height: 1_024 },
    });
    await picture(tablet.page, 'docs-tablet');
    expect(tablet.faults).toEqual([]);
  });
});
