import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { givenSession } from '../support/checkout.ts';
import { CONSOLE_ENV, type ConsoleMarket, givenConsoleMarket } from '../support/console-market.ts';
import { givenCredential } from '../support/factories.ts';
import { givenOps } from '../support/ops-client.ts';
import { givenMember } from '../support/partner-site.ts';
import { startSignInApp } from '../support/sign-in.ts';

const MAX_BYTES = 150_000;

let app: TestApp;
let browser: TestBrowser;
let market: ConsoleMarket;
beforeAll(async () => {
  [app, browser] = await Promise.all([startSignInApp(CONSOLE_ENV), startBrowser()]);
  market = await givenConsoleMarket(app.runtime, { url: 'http://127.0.0.1:40999/hook' });
});
afterAll(async () => {
  await browser?.stop();
  await app?.stop();
});

/** What a first visit of a page loads, compressed as a proxy does it, and the typeface it is shown in. */
async function weigh(url: string, signIn?: { path: string; email: string }) {
  const { page } = await browser.open();
  if (signIn) {
    await page.goto(app.url + signIn.path);
    await page.getByLabel('Email address').fill(signIn.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).first().waitFor();
  }
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    const sized = response.body().then((body) => {
      const plain = !/font|image/.test(response.headers()['content-type'] ?? '');
      return plain ? gzipSync(body).length : body.length;
    });
    sizes.push(sized);
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  const typeface = await page.evaluate(`document.fonts.check('16px "Inter Variable"')`);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await page.context().close();
  return { typeface, bytes };
}

describe('page weight', () => {
  it('is at most 150 kB per page with our typeface', async () => {
    const email = (await givenMember(app, 'admin', market.partnerId)).email;
    const member = { path: '/account/sign-in?next=/partner', email };
    const ops = { path: '/ops', email: (await givenOps(app)).email };
    const session = await givenSession(
      app,
      app.as(await givenCredential(app.runtime, market.partnerId)),
    );
    const progress = new URL(await progressUrl(app.runtime, market.caseId));
    const site = `/partner/${market.partnerId}/sandbox`;
    const pages: [name: string, path: string, signIn?: { path: string; email: string }][] = [
      ['portal', '/docs'],
      ['guide', '/docs/webhooks'],
      ['reference', '/docs/reference/partner'],
      ['calls of a reference', '/docs/reference/partner/webhooks'],
      ['status', '/docs/status'],
      ['sign-in', '/account/sign-in'],
      ['checkout', session.url.slice(app.url.length)],
      ['brokerage', progress.pathname + progress.search],
      ['partner overview', site, member],
      ['partner orders', `${site}/orders`, member],
      ['delivery log', `${site}/webhooks/deliveries`, member],
      ['ops overview', '/ops', ops],
      ['ops orders', '/ops/orders', ops],
    ];
    for (const [name, path, signIn] of pages) {
      const { typeface, bytes } = await weigh(app.url + path, signIn);
      expect({ name, typeface, light: bytes > 0 && bytes <= MAX_BYTES }).toEqual({
        name,
        typeface: true,
        light: true,
      });
    }
  }, 240_000);
});
