import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { updateEndpoint } from '../../shared/messaging/webhooks/manage-endpoint.ts';
import { recordAudit } from '../../shared/people/audit/audit-log.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { PHONE, picture, startBrowser, type TestBrowser } from '../support/browser.ts';
import { type ConsoleVisitor, givenVisitor } from '../support/console.ts';
import { CONSOLE_ENV, type ConsoleMarket, givenConsoleMarket } from '../support/console-market.ts';
import { eventually } from '../support/eventually.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let app: TestApp;
let fleet: WorkerProcess;
let receiver: WebhookReceiver;
let browser: TestBrowser;
let ops: ConsoleVisitor;
let market: ConsoleMarket;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  receiver.answer({ status: 500, body: 'The lights are out.' });
  app = await startTestApp({ ...CONSOLE_ENV, WEBHOOK_SCHEDULE_MS: '50,50', outboxPollMs: 50 });
  browser = await startBrowser();
  ops = await givenVisitor(app);
  market = await givenConsoleMarket(app.runtime, { url: receiver.url });
  fleet = startWorkers(app.runtime, { queues: ['webhooks'] });
  const { knex } = app.runtime.db;
  await eventually(
    async () => {
      const left = await knex('webhook_deliveries').whereNot({ state: 'exhausted' }).first();
      if (left) await closeBreakers();
      return left;
    },
    (left) => left === undefined,
  );
});
afterAll(async () => {
  await browser?.stop();
  await fleet?.stop();
  await app?.stop();
  await receiver?.close();
});

/** Closes open circuit breakers, as a partner can: they would make long pauses here. */
async function closeBreakers(of: { name?: string } = {}): Promise<void> {
  const open = await app.runtime.db.knex('webhook_endpoints').where(of).whereNotNull('open_until');
  for (const { id, partner_id: partnerId, environment } of open) {
    await updateEndpoint(app.runtime, { partnerId, environment }, id, { active: true });
  }
}

async function signIn(page: Page, path = '/ops'): Promise<void> {
  await page.goto(app.url + path);
  await page.getByLabel('Email address').fill(ops.email);
  await page.getByLabel('Password').fill(ops.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Waits until a page with this title has come in the place of the one before. */
const titled = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

const pages = () => ({
  overview: '/ops',
  review: '/ops/review',
  transfers: '/ops/transfers',
  'transfers-failed': '/ops/transfers?stage=failed',
  orders: '/ops/orders',
  order: `/ops/orders/${market.delivered}`,
  'order-refunded': `/ops/orders/${market.refunded}`,
  brokerage: '/ops/brokerage',
  'brokerage-case': `/ops/brokerage/${market.caseId}`,
  payouts: '/ops/payouts',
  'payouts-none': '/ops/payouts?status=failed',
  settlements: '/ops/settlements',
  settlement: `/ops/settlements/${market.settlementId}`,
  webhooks: '/ops/webhooks',
  endpoints: `/ops/webhooks/SANDBOX/${market.partnerId}`,
  endpoint: `/ops/webhooks/${market.secondEndpointId}`,
  replays: `/ops/webhooks/${market.secondEndpointId}/replays`,
  replay: `/ops/do/webhook-replay?endpoint=${market.secondEndpointId}`,
  'market-search': '/ops/market-search?q=river%20under%20%249%2C000',
  'market-search-none': '/ops/market-search?q=xqzvwk&environment=SANDBOX',
  'search-misses': '/ops/market-search/nothing-found',
  partners: '/ops/partners',
  partner: `/ops/partners/${market.partnerId}`,
  ledger: '/ops/ledger',
  audit: '/ops/audit',
  search: '/ops/search?q=north',
  refund: `/ops/do/order-refund?order=${market.delivered}`,
  'new-pair': `/ops/do/credential-create?partner=${market.partnerId}`,
  'new-partner': '/ops/do/partner-create',
  run: '/ops/do/settlement-run',
  missing: '/ops/nowhere',
});

describe('the ops console in a browser', () => {
  it('fits desktop, tablet and phone screens and dark mode without errors', async () => {
    const { partnerId, keyId } = market;
    await app.runtime.db.knex('search_misses').insert({
      environment: 'LIVE',
      day: app.runtime.clock.now(),
      query: 'a short and elegant name for my vegan bakery under $500',
      searches: 12,
      reading: {
        topic: 'vegan bakery',
        limits: { maxPriceCents: 50_000, currency: 'USD', wishes: ['short'], style: ['elegant'] },
        corrected: null,
        kinds: [{ name: 'vegan restaurant', likeness: 0.82 }],
        nearest: [{ domain: 'northharborbakery.com', score: 0.214 }],
      },
    });
    const issued = { actor: 'seed', action: 'credential:create', subject: keyId };
    await app.runtime.db.transact((uow) => recordAudit(uow, { ...issued, after: { partnerId } }));
    const looks = [
      { name: 'desktop', options: { viewport: { width: 1_280, height: 800 } } },
      { name: 'tablet', options: { viewport: { width: 768, height: 1_024 } } },
      { name: 'phone', options: PHONE },
      { name: 'dark', options: { colorScheme: 'dark' as const } },
    ];
    for (const { name, options } of looks) {
      const { page, faults } = await browser.open(options);
      await page.goto(`${app.url}/ops/sign-in`);
      await picture(page, `console-${name}-sign-in`);
      await signIn(page);
      for (const [which, path] of Object.entries(pages())) {
        await page.goto(app.url + path);
        const tooWide = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([name, which, tooWide]).toEqual([name, which, 0]);
        // No price, date or section is out of sight in a table or menu that is wider than its place.
        const hidden = await page.evaluate<string[]>(
          `[...document.querySelectorAll('.scroll, nav ul')].filter((each) => each.scrollWidth > each.clientWidth)
            .map((each) => each.ariaLabel + ' by ' + (each.scrollWidth - each.clientWidth))`,
        );
        expect([name, which, hidden]).toEqual([name, which, []]);
        if (name !== 'tablet') await picture(page, `console-${name}-${which}`);
      }
      expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
      await page.context().close();
    }
  });

  it('approves an order in review', async () => {
    const { page, faults } = await browser.open();
    await signIn(page, '/ops/review');
    await titled(page, 'Orders in review');
    const row = page.getByRole('row', { name: /hold-oakbridge\.com/ });
    await row.getByRole('link', { name: 'Approve hold-oakbridge.com' }).click();
    await titled(page, 'Approve hold-oakbridge.com?');
    await picture(page, 'console-desktop-clear');
    await page.getByRole('button', { name: 'Approve order' }).click();
    await titled(page, 'Orders in review');
    await page.getByRole('status').getByText('hold-oakbridge.com is approved.').waitFor();
    await picture(page, 'console-desktop-cleared');
    await page.getByText('No orders to review.').waitFor();
    await page.getByLabel(/^Search/).fill('hold-oakbridge.com');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'hold-oakbridge.com' }).click();
    await page.getByText('order:clear').waitFor();
    await page.reload();
    expect(await page.getByRole('status').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('resends a failed webhook, which arrives', async () => {
    const { page, faults } = await browser.open();
    await signIn(page, '/ops/webhooks');
    await page.getByRole('link', { name: market.partnerName }).first().click();
    await page.getByLabel('State', { exact: true }).selectOption('exhausted');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/status=exhausted/);
    const failed = page
      .getByRole('row', { name: /order\.recorded default Order Exhausted/ })
      .last();
    await failed.getByText('3, last: 500').click();
    await failed.getByText('The lights are out.').first().waitFor();
    await picture(page, 'console-desktop-attempts');

    receiver.answer({ status: 200 });
    await closeBreakers({ name: 'default' });
    const before = receiver.received.length;
    await failed.getByRole('link', { name: /Resend/ }).click();
    await page.getByRole('button', { name: 'Resend' }).click();
    await page.getByRole('status').getByText('was sent again').waitFor();
    const all = await receiver.waitFor(before + 1);
    expect(all.at(-1)?.event.type).toBe('order.recorded');
    await page.getByLabel('State', { exact: true }).selectOption('delivered');
    const show = page.getByRole('button', { name: 'Show' });
    const delivered = page.getByRole('row', {
      name: /order\.recorded resent default Order Delivered/,
    });
    await eventually(async () => {
      await show.click();
      return delivered.isVisible();
    });
    await page.goto(`${app.url}/ops/webhooks`);
    // The partner's other endpoint has got nothing again, so it is the only one that fails still.
    const failing = page.getByRole('table').getByRole('rowheader');
    expect(await failing.allTextContents()).toEqual(['fulfilment']);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('works with the keyboard alone: a transfer is started', async () => {
    const { page } = await browser.open();
    const focused = () =>
      page.evaluate<string>(`document.activeElement.textContent.replace(/\\s+/g, ' ').trim()`);
    const tabTo = async (text: string) => {
      for (let pressed = 0; (await focused()) !== text; pressed += 1) {
        if (pressed === 60) throw new Error(`no way to "${text}" by keyboard`);
        await page.keyboard.press('Tab');
      }
    };
    await page.goto(`${app.url}/ops`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type(ops.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(ops.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await picture(page, 'console-desktop-skip');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#/);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('LIVE');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('SANDBOX');
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Orders in review');
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Purchases in review');
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Transfers to start');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Transfers' }).waitFor();
    // The overview leads to LIVE; this transfer is in SANDBOX.
    await tabTo('AllLIVESANDBOX');
    await page.keyboard.press('ArrowUp');
    await tabTo('Show');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Start transfer riverlantern.com' }).waitFor();
    await tabTo('Start transfer riverlantern.com');
    const outline = 'getComputedStyle(document.activeElement).outlineStyle';
    expect(await page.evaluate<string>(outline)).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Start the transfer of riverlantern.com?' }).waitFor();
    await tabTo('Start transfer');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    // The word of what was done has the focus, so that a screen reader reads it first.
    expect(await focused()).toBe('The transfer of riverlantern.com has started.');
    await page.context().close();
  });

  it('works on a phone: an account is opened and its secret shown once', async () => {
    const { page, faults } = await browser.open(PHONE);
    await signIn(page, '/ops/partners');
    await page.getByRole('link', { name: 'Open an account' }).tap();
    await page.getByLabel('Name').fill('Contoso <Domains>');
    await page.getByLabel('Link an affiliate account.').check();
    await page.getByRole('button', { name: 'Open account' }).tap();
    await page.getByRole('heading', { name: 'Contoso <Domains>' }).waitFor();
    await page.getByRole('link', { name: 'Issue a key pair' }).tap();
    await page.getByLabel('Environment').selectOption('SANDBOX');
    await page.getByRole('checkbox', { name: 'search' }).check();
    await page.getByRole('button', { name: 'Issue the key pair' }).tap();
    await page.getByText(/sk_sandbox_/).waitFor();
    await picture(page, 'console-phone-secret');
    await page.getByRole('link', { name: 'I saved the secret' }).tap();
    await page.getByRole('heading', { name: 'Key pairs' }).waitFor();
    expect(await page.content()).not.toContain('sk_');
    await page.getByRole('link', { name: 'Issue a key pair' }).tap();
    await page.getByLabel('Environment').selectOption('LIVE');
    await page.getByRole('button', { name: 'Issue the key pair' }).tap();
    expect(await page.getByRole('alert').textContent()).toContain('Scopes');
    await picture(page, 'console-phone-refused');
    expect(faults.filter((fault) => !fault.includes('400'))).toEqual([]);
    await page.context().close();
  });
});
