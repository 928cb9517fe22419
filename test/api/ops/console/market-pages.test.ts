import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consolePages } from '../../../../api/ops/console/routes.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../../support/console.ts';
import {
  CONSOLE_ENV,
  type ConsoleMarket,
  givenConsoleMarket,
} from '../../../support/console-market.ts';

const HOSTILE = `<img src=x onerror=alert(1)>"'&Sons`;

let app: TestApp;
let ops: ConsoleVisitor;
let market: ConsoleMarket;

beforeAll(async () => {
  app = await startTestApp(CONSOLE_ENV);
  ops = await givenVisitor(app);
  market = await givenConsoleMarket(app.runtime, {
    url: 'http://127.0.0.1:40999/hook?a=<b>',
    name: HOSTILE,
  });
});
afterAll(() => app?.stop());

const filled = (path: string) =>
  path
    .replace('/settlements/:id', `/settlements/${market.settlementId}`)
    .replace(':order', market.refunded)
    .replace(':case', market.caseId)
    .replace(':environment', 'SANDBOX')
    .replace(':partner', market.partnerId);

describe('the pages of a market at work', () => {
  const shown = consolePages.filter(({ path }) => !path.includes(':run'));

  it.each(shown.map(({ path }) => path))('%s shows it, with every name as text', async (path) => {
    const { status, text } = await ops.visit(filled(path));
    expect(status).toBe(200);
    expect(text).not.toContain('<img');
    expect(text).not.toContain('?a=<b>');
    expect(text).not.toMatch(/undefined|\[object|NaN|sk_(sandbox|live)|whsec_/);
    expect(text).not.toMatch(/href="\s*javascript:/i);
  });

  it.each(shown.map(({ path }) => path))('%s takes three statements at most', async (path) => {
    let statements = 0;
    const count = () => {
      statements += 1;
    };
    const { knex } = app.runtime.db;
    knex.on('query', count);
    try {
      await ops.visit(filled(path));
    } finally {
      knex.removeListener('query', count);
    }
    expect(statements).toBeGreaterThan(0);
    expect(statements).toBeLessThanOrEqual(3);
  });

  it('the desk counts what waits', async () => {
    const text = readable((await ops.visit('/')).text);
    expect(text).toContain('1 Orders in review');
    expect(text).toContain('1 Orders to push 1 under way');
    expect(text).toContain('1 Transfers that failed');
    expect(text).toContain('1 Transfers that need action');
    expect(text).toContain('1 Deliveries to confirm');
    expect(text).toContain('1 Open brokerage cases');
    expect(text).toContain('1 Payouts to make');
    expect(text).toContain('1 Settlements not paid');
    expect(text).toContain('maintenance');
  });

  it('lists show each order where it waits', async () => {
    const expected: [path: string, domain: string][] = [
      ['/review', 'hold-oakbridge.com'],
      ['/pushes', 'riverlantern.com'],
      ['/pushes?stage=under_way', 'morningharbor.com'],
      ['/pushes?stage=failed', 'copperfield-estates.net'],
      ['/pushes?stage=action_required', 'silverpine.io'],
      ['/pushes?stage=to_confirm', 'bluecanyon.org'],
    ];
    for (const [path, domain] of expected) {
      const { text } = await ops.visit(path);
      const others = expected.filter(([each]) => each !== path).map(([, each]) => each);
      expect([path, text.includes(domain)]).toEqual([path, true]);
      for (const other of others) expect([path, text.includes(other)]).toEqual([path, false]);
    }
    expect((await ops.visit('/review?environment=LIVE')).text).not.toContain('hold-oakbridge');
    expect((await ops.visit('/orders?status=REFUNDED')).text).toContain('hold-wildorchard.com');
    expect((await ops.visit('/orders?status=&environment=')).status).toBe(200);
  });

  it('an order tells its whole story', async () => {
    const text = readable((await ops.visit(`/orders/${market.refunded}`)).text);
    for (const part of [
      'order.manual_review_cleared',
      'order.refunded',
      'The buyer changed their mind.',
      'Refund Partner clearing',
      'buyer@example.com',
    ]) {
      expect(text).toContain(part);
    }
    expect(text.match(/order\.(recorded|manual_review_cleared|refunded) Pending/g)).toHaveLength(3);
  });

  it('a settled order shows its statement, and what was sent when it was settled', async () => {
    const { knex } = app.runtime.db;
    const settled = await knex('orders').where({ settlement_id: market.settlementId }).first('id');
    const { text } = await ops.visit(`/orders/${settled.id}`);
    expect(text).toContain(`/ops/settlements/${market.settlementId}`);
    expect(readable(text)).toMatch(/order\.settled (Pending|Exhausted)/);
  });

  it('a long list goes on on the next page', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({
      at: app.runtime.clock.now(),
      actor: 'test',
      action: 'test:row',
      subject: `row-${at}`,
    }));
    await app.runtime.db.knex('audit_log').insert(rows);
    const first = await ops.visit('/audit');
    expect(first.text.match(/test:row/g)).toHaveLength(50);
    const [, next = ''] = /href="\/ops(\/audit\?[^"]*)" rel="next"/.exec(first.text) ?? [];
    const second = await ops.visit(next.replaceAll('&amp;', '&'));
    expect(second.text.match(/test:row/g)).toHaveLength(10);
    expect(second.text).not.toContain('rel="next"');
  });
});

describe('the search', () => {
  it('leads from an id to its page', async () => {
    const to = async (q: string) =>
      (await ops.visit(`/search?q=${encodeURIComponent(q)}`)).headers.get('Location');
    expect(await to(` ${market.held} `)).toBe(`/ops/orders/${market.held}`);
    expect(await to(market.partnerId)).toBe(`/ops/partners/${market.partnerId}`);
    expect(await to(market.settlementId)).toBe(`/ops/settlements/${market.settlementId}`);
    expect(await to(market.caseId)).toBe(`/ops/brokerage/${market.caseId}`);
    expect(await to(market.keyId)).toBe(`/ops/audit?subject=${market.keyId}`);
  });

  it('finds orders by their domain and partners by a part of their name', async () => {
    const byDomain = await ops.visit('/search?q=RiverLantern.com.');
    expect(byDomain.text).toContain(`/ops/orders/${market.toPush}`);
    const byName = await ops.visit('/search?q=%26sons');
    expect(byName.text).toContain(`/ops/partners/${market.partnerId}`);
    const nothing = readable((await ops.visit('/search?q=%25_%27')).text);
    expect(nothing).toContain('No partner has this in its name.');
  });
});
