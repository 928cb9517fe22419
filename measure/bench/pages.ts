import type { BrowserContext } from 'playwright-core';
import { signIn } from '../../shared/people/users/user-session.ts';
import { sessionUrl } from '../../shared/sales/checkout/checkout-token.ts';
import { givenAccount, PASSWORD } from '../../test/support/accounts.ts';
import { startBrowser, type TestBrowser } from '../../test/support/browser.ts';
import { CONSOLE_ENV, givenConsoleMarket } from '../../test/support/console-market.ts';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { startChild } from '../support/child.ts';
import type { Figure } from '../support/figures.ts';

const ROUNDS = 5;
const GOAL_MS = 1_000;

type Cookie = Parameters<BrowserContext['addCookies']>[0][number];

/** Measures how long a first visit waits for a page's main content: the largest contentful paint in a real browser. */
export async function benchPages(): Promise<Figure[]> {
  const { browserProgram } = await import(
    new URL('../../scripts/lib/browser-install.mjs', import.meta.url).href
  );
  process.env.TEST_BROWSER = await browserProgram();
  const runtime = await createTestRuntime(CONSOLE_ENV);
  const [api, bare, browser] = await Promise.all([
    startChild('measure/bench/support/api-process.ts', runtime.env),
    startChild('measure/bench/support/bare-express-process.ts', {}),
    startBrowser(),
  ]);
  try {
    const origin = `http://127.0.0.1:${api.ready.port}`;
    const limit = `http://127.0.0.1:${bare.ready.port}/page`;
    const figures: Figure[] = [];
    for (const { name, path, cookie } of await givenPages(runtime)) {
      const cookies = cookie ? [{ ...cookie, url: origin }] : [];
      // Warms the server and the page's assets.
      await paintOf(browser, origin + path, cookies);
      const figure = { ours: [] as number[], limit: [] as number[] };
      for (let round = 0; round < ROUNDS; round += 1) {
        figure.limit.push(await paintOf(browser, limit, []));
        figure.ours.push(await paintOf(browser, origin + path, cookies));
      }
      figures.push({
        name: `Largest contentful paint, first visit: ${name}`,
        unit: 'ms',
        limitName: 'a page of one line from bare Express',
        lessIsBetter: true,
        goal: { most: GOAL_MS },
        ...figure,
      });
    }
    return figures;
  } finally {
    await browser.stop();
    await Promise.all([api.stop(), bare.stop()]);
    await runtime.stop();
  }
}

interface PageToPaint {
  name: string;
  path: string;
  /** The session of a signed-in user. */
  cookie?: Omit<Cookie, 'url'>;
}

async function givenPages(runtime: TestRuntime): Promise<PageToPaint[]> {
  const market = await givenConsoleMarket(runtime, { url: 'http://127.0.0.1:40999/hook' });
  const { knex } = runtime.db;
  const owner = await knex('users').where({ id: market.ownerId }).first();
  const membership = { partner_id: market.partnerId, user_id: market.ownerId, role: 'admin' };
  await knex('partner_members').insert({ ...membership, created_at: runtime.clock.now() });
  const staff = await givenAccount(runtime, 'ops');
  const open = async (name: string, email: string) => {
    const { token } = await signIn(runtime, { email, password: PASSWORD });
    return { name, value: token };
  };
  const mine = await open('account_session', owner.email);
  const ops = await open('ops_session', staff.email);
  const site = `/partner/${market.partnerId}/sandbox`;
  const session = await knex('checkout_sessions').where({ id: market.checkoutSessionId }).first();
  const { id, expires_at: expiresAt } = session;
  const checkout = new URL(await sessionUrl(runtime, { id, expiresAt }));
  return [
    { name: 'documentation', path: '/docs' },
    { name: 'a guide', path: '/docs/webhooks' },
    { name: 'quickstart', path: '/docs/quickstart' },
    { name: 'reference', path: '/docs/reference/partner' },
    { name: 'status', path: '/docs/status' },
    { name: 'sign-in', path: '/account/sign-in' },
    { name: 'partner overview', path: site, cookie: mine },
    { name: 'partner orders', path: `${site}/orders`, cookie: mine },
    { name: 'account domains', path: '/account/domains', cookie: mine },
    { name: 'console overview', path: '/ops', cookie: ops },
    { name: 'console orders', path: '/ops/orders?environment=SANDBOX', cookie: ops },
    { name: 'checkout', path: checkout.pathname + checkout.search },
  ];
}

/** Returns when the largest part of a page is painted, in milliseconds after navigation, with an empty cache. */
async function paintOf(browser: TestBrowser, url: string, cookies: Cookie[]): Promise<number> {
  const { page } = await browser.open();
  try {
    await page.context().addCookies(cookies);
    await page.addInitScript(
      `new PerformanceObserver((list) => { window.largestPaint = list.getEntries().at(-1).startTime })
        .observe({ type: 'largest-contentful-paint', buffered: true })`,
    );
    const response = await page.goto(url, { waitUntil: 'networkidle' });
    if (response?.status() !== 200) throw new Error(`${url} answered ${response?.status()}`);
    await page.waitForFunction('window.largestPaint > 0');
    return Number(await page.evaluate('window.largestPaint'));
  } finally {
    await page.context().close();
  }
}
