import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consolePages } from '../../../../api/ops/console/console-router.ts';
import { countDailyFigures } from '../../../../shared/operations/daily-figures/daily-figures.ts';
import { addMs, HOUR } from '../../../../shared/platform/clock.ts';
import { closePartnerPeriods } from '../../../../shared/settlement/statements/close-statement.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { givenCase } from '../../../support/brokerage.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../../support/console.ts';
import {
  CONSOLE_ENV,
  type ConsoleMarket,
  filledPath,
  givenConsoleMarket,
} from '../../../support/console-market.ts';
import { eventually } from '../../../support/eventually.ts';
import { givenPartner } from '../../../support/factories.ts';
import { givenOrder } from '../../../support/orders.ts';

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

const filled = (path: string) => filledPath(market, path);

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

  it('the overview counts what waits', async () => {
    const live = readable((await ops.visit('/')).text);
    // All of this market is SANDBOX: no work.
    expect(live).toContain('0 Orders in review');
    expect(live).toContain('0 Unpaid settlements');
    const text = readable((await ops.visit('/?environment=SANDBOX')).text);
    expect(text).toContain('nothing here has to be done');
    expect(text).toContain('1 Orders in review');
    expect(text).toContain('1 Transfers to start');
    expect(text).toContain('1 Failed transfers');
    expect(text).toContain('1 Transfers that need action');
    expect(text).toContain('1 Deliveries to confirm');
    expect(text).toContain('1 Open brokerage cases');
    expect(text).toContain('1 Payouts to make');
    expect(text).toContain('1 Unpaid settlements');
    expect(text).toContain('maintenance');
  });

  it('the overview has charts of the environment and the period that is asked for', async () => {
    expect(readable((await ops.visit('/')).text)).toContain('Nothing is counted yet');
    await countDailyFigures(app.runtime, 1_000);
    const orders = (text: string) => /<figcaption>Orders <b>(\d+)<\/b>/.exec(text)?.[1];
    const { text } = await ops.visit('/?environment=SANDBOX');
    const made = await app.runtime.db.knex('orders').where({ environment: 'SANDBOX' }).pluck('id');
    expect(orders(text)).toBe(String(made.length));
    expect(readable(text)).toContain('Counted every five minutes');
    // LIVE is what is shown unless it is asked for, and nothing was sold there.
    expect(readable((await ops.visit('/')).text)).toContain('No orders in this period.');
    const past = '/?environment=SANDBOX&from=2020-01-01&to=2024-12-31&unit=day';
    expect(readable((await ops.visit(past)).text)).toContain('No orders in this period.');
    expect((await ops.visit('/?from=2026-02-02&to=2026-02-01')).status).toBe(400);
    expect((await ops.visit('/?from=2026-02-31')).status).toBe(400);
  });

  it('the overview counts what waits in LIVE as work', async () => {
    const { partnerId } = await givenPartner(app.runtime, { environment: 'LIVE' });
    await givenCase(app.runtime, { partnerId, environment: 'LIVE' });
    // The counts of a moment ago are shown once more.
    await eventually(
      async () => readable((await ops.visit('/')).text),
      (text) => text.includes('1 Open brokerage cases'),
    );
  });

  it('a statement explains its sums', async () => {
    const { knex } = app.runtime.db;
    const id = market.settlementId;
    const figures = await knex('settlements').where({ id }).first();
    const text = readable((await ops.visit(`/settlements/${id}`)).text);
    const [, gross, ours, commission, adjustments, owed] =
      /Gross sold (\S+) .*Collected by us (\S+) .*Commission retained (\S+) .*Adjustments (\S+) .*Owed to us (\S+) The sum/.exec(
        text,
      ) ?? [];
    const cents = (shown = '') => Math.round(Number(shown.replace(/[$,]/g, '')) * 100);
    expect(cents(gross)).toBe(Number(figures.gross_sold_cents));
    expect(cents(owed)).toBe(Number(figures.amount_owed_cents));
    // One of its sales is a hosted checkout, the price of which we collected.
    expect(cents(ours)).toBeLessThan(0);
    expect(cents(gross) + cents(ours) + cents(commission) + cents(adjustments)).toBe(cents(owed));
  });

  it('a statement of sales that we collected has no negative nothing', async () => {
    const { partnerId } = await givenPartner(app.runtime);
    const owner = { partnerId, environment: 'SANDBOX' as const };
    const now = app.runtime.clock.now();
    const deliveredAt = addMs(now, -40 * 24 * HOUR);
    await givenOrder(app.runtime, owner, { deliveredAt, paymentModel: 'hosted_checkout' });
    const until = addMs(now, -20 * 24 * HOUR);
    const [id] = await closePartnerPeriods(app.runtime, { ...owner, until });
    const text = readable((await ops.visit(`/settlements/${id}`)).text);
    expect(text).toContain('Commission retained $0.00');
    expect(text).not.toContain('-$0.00');
  });

  it('lists show each order where it waits', async () => {
    const expected: [path: string, domain: string][] = [
      ['/review', 'hold-oakbridge.com'],
      ['/transfers', 'riverlantern.com'],
      ['/transfers?stage=under_way', 'morningharbor.com'],
      ['/transfers?stage=failed', 'copperfield-estates.net'],
      ['/transfers?stage=action_required', 'silverpine.io'],
      ['/transfers?stage=to_confirm', 'bluecanyon.org'],
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
    expect(
      text.match(/order\.(recorded|manual_review_cleared|refunded) default Pending/g),
    ).toHaveLength(3);
  });

  it('a settled order shows its statement, and what was sent when it was settled', async () => {
    const { knex } = app.runtime.db;
    const settled = await knex('orders').where({ settlement_id: market.settlementId }).first('id');
    const { text } = await ops.visit(`/orders/${settled.id}`);
    expect(text).toContain(`/ops/settlements/${market.settlementId}`);
    expect(readable(text)).toMatch(/order\.settled default (Pending|Exhausted)/);
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
    expect(nothing).toContain('No partners with this name.');
  });
});
