import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { consolePages } from '../../../../api/ops/console/console-router.ts';
import { documentNumber } from '../../../../shared/messaging/documents/document.ts';
import { countDailyFigures } from '../../../../shared/operations/daily-figures/daily-figures.ts';
import { checkLedger } from '../../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY, HOUR } from '../../../../shared/platform/clock.ts';
import { closePartnerPeriods } from '../../../../shared/settlement/statements/close-statement.ts';
import type { TestApp } from '../../../support/app.ts';
import { givenCase } from '../../../support/brokerage.ts';
import { type ConsoleVisitor, readable } from '../../../support/console.ts';
import {
  type ConsoleMarket,
  filledPath,
  startConsoleScene,
} from '../../../support/console-market.ts';
import { eventually } from '../../../support/eventually.ts';
import { givenListing, givenPartner } from '../../../support/factories.ts';
import { givenOrder } from '../../../support/orders.ts';

const HOSTILE = `<img src=x onerror=alert(1)>"'&Sons`;

let app: TestApp;
let ops: ConsoleVisitor;
let market: ConsoleMarket;

beforeAll(async () => {
  ({ app, ops, market } = await startConsoleScene(HOSTILE));
});
afterAll(() => app?.stop());

const filled = (path: string) => filledPath(market, path);

describe('the console pages with data', () => {
  const shown = consolePages.filter(({ path }) => !path.includes(':run'));

  it.each(shown.map(({ path }) => path))('%s loads and escapes every name', async (path) => {
    const { status, text } = await ops.visit(filled(path));
    expect(status).toBe(200);
    expect(text).not.toContain('<img');
    expect(text).not.toContain('?a=<b>');
    expect(text).not.toMatch(/undefined|\[object|NaN|sk_(sandbox|live)|whsec_/);
    expect(text).not.toMatch(/href="\s*javascript:/i);
  });

  it.each(shown.map(({ path }) => path))(
    '%s takes at most three SQL statements, plus one for sandbox clocks and one for attempts',
    async (path) => {
      let statements = 0;
      let clocks = 0;
      // A separate statement reads only the needed partitions and is planned ten times faster.
      let sent = 0;
      const count = ({ sql }: { sql: string }) => {
        if (/from sandbox_clocks/.test(sql)) clocks += 1;
        else if (/from webhook_attempts/.test(sql)) sent += 1;
        else statements += 1;
      };
      const { knex } = app.runtime.db;
      knex.on('query', count);
      try {
        await ops.visit(filled(path));
      } finally {
        knex.removeListener('query', count);
      }
      expect(clocks).toBeLessThanOrEqual(1);
      expect(sent).toBeLessThanOrEqual(1);
      expect(statements).toBeGreaterThan(0);
      expect(statements).toBeLessThanOrEqual(3);
    },
  );

  it('the overview counts pending work', async () => {
    const live = readable((await ops.visit('/')).text);
    // Everything in this market is SANDBOX, so LIVE has no work.
    expect(live).toContain('0 Orders in review');
    expect(live).toContain('0 Unpaid settlements');
    const text = readable((await ops.visit('/?environment=SANDBOX')).text);
    expect(text).toContain('there is nothing to do here');
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

  it('the overview shows charts for the requested environment and period', async () => {
    expect(readable((await ops.visit('/')).text)).toContain('No figures yet');
    await countDailyFigures(app.runtime, 1_000);
    const orders = (text: string) => /<figcaption>Orders <b>(\d+)<\/b>/.exec(text)?.[1];
    const { text } = await ops.visit('/?environment=SANDBOX');
    const made = await app.runtime.db.knex('orders').where({ environment: 'SANDBOX' }).pluck('id');
    expect(orders(text)).toBe(String(made.length));
    expect(readable(text)).toContain('Counted every five minutes');
    // LIVE is the default, and nothing was sold there.
    expect(readable((await ops.visit('/')).text)).toContain('No orders in this period.');
    const past = '/?environment=SANDBOX&from=2020-01-01&to=2024-12-31&unit=day';
    expect(readable((await ops.visit(past)).text)).toContain('No orders in this period.');
    expect((await ops.visit('/?from=2026-02-02&to=2026-02-01')).status).toBe(400);
    expect((await ops.visit('/?from=2026-02-31')).status).toBe(400);
  });

  it('the overview counts pending work in LIVE', async () => {
    const { partnerId } = await givenPartner(app.runtime, { environment: 'LIVE' });
    await givenCase(app.runtime, { partnerId, environment: 'LIVE' });
    // Counts from a moment ago may be shown once more.
    await eventually(
      async () => readable((await ops.visit('/')).text),
      (text) => text.includes('1 Open brokerage cases'),
    );
  });

  it('a statement explains its totals', async () => {
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
    // One of its sales is a hosted checkout, whose price we collected.
    expect(cents(ours)).toBeLessThan(0);
    expect(cents(gross) + cents(ours) + cents(commission) + cents(adjustments)).toBe(cents(owed));
  });

  it('a statement of hosted sales shows no negative zero and asks for no payment', async () => {
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
    expect(text).not.toMatch(/ Due |Mark as paid/);
    const list = readable((await ops.visit(`/settlements?partner=${partnerId}`)).text);
    expect(list).toContain(' Closed 1 ');
    expect(list).not.toContain('Mark as paid');
    const overview = readable((await ops.visit('/?environment=SANDBOX')).text);
    expect(overview).toContain('1 Unpaid settlements');
  });

  it('lists show each order at its stage only', async () => {
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

  it('an order shows its whole history', async () => {
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

  it('a settled order shows its statement and its settlement webhooks', async () => {
    const { knex } = app.runtime.db;
    const settled = await knex('orders').where({ settlement_id: market.settlementId }).first('id');
    const { text } = await ops.visit(`/orders/${settled.id}`);
    expect(text).toContain(`/ops/settlements/${market.settlementId}`);
    expect(readable(text)).toMatch(/order\.settled default (Pending|Exhausted)/);
  });

  it('a long list continues on the next page', async () => {
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

describe('the console search', () => {
  it('redirects from an id to its page', async () => {
    const to = async (q: string) =>
      (await ops.visit(`/search?q=${encodeURIComponent(q)}`)).headers.get('Location');
    expect(await to(` ${market.held} `)).toBe(`/ops/orders/${market.held}`);
    expect(await to(market.partnerId)).toBe(`/ops/partners/${market.partnerId}`);
    expect(await to(market.settlementId)).toBe(`/ops/settlements/${market.settlementId}`);
    expect(await to(market.caseId)).toBe(`/ops/brokerage/${market.caseId}`);
  });

  it('finds parts of domains, addresses and names, and prefixes of ids', async () => {
    const found = async (q: string) => (await ops.visit(`/search?q=${encodeURIComponent(q)}`)).text;
    expect(await found('RiverLantern.com.')).toContain(`/ops/orders/${market.toPush}`);
    expect(await found('verlant')).toContain(`/ops/orders/${market.toPush}`);
    expect(await found('verlant')).not.toContain(`/ops/orders/${market.held}`);
    expect(await found('BUYER@exam')).toContain(`/ops/orders/${market.held}`);
    expect(await found(market.held.slice(0, 20))).toContain(`/ops/orders/${market.held}`);
    expect(await found('&sons')).toContain(`/ops/partners/${market.partnerId}`);
    expect(await found(market.keyId)).toContain(`/ops/partners/${market.partnerId}`);
    expect(await found(market.keyId.slice(0, 16))).toContain(market.keyId);
    expect(readable(await found('hold-oak'))).toContain('Listings');
    expect(await found(ops.email.slice(0, 8))).toContain(`/ops/people/${ops.userId}`);
    for (const nothing of ["%_'", '%%%', '___', 'q--', '\\\\']) {
      expect([nothing, readable(await found(nothing))]).toEqual([
        nothing,
        expect.stringContaining('Nothing matches.'),
      ]);
    }
  });
});

describe('the console search for exact references', () => {
  const found = async (q: string) => (await ops.visit(`/search?q=${encodeURIComponent(q)}`)).text;

  it('shows the exact domain first', async () => {
    const { knex } = app.runtime.db;
    for (const domain of ['exactly.com', 'not-exactly.com', 'exactly.community']) {
      await givenListing(app.runtime, { domain });
    }
    const domain = 'exactly.com';
    await knex('orders')
      .where({ id: market.stuck })
      .update({ domain: `newer-${domain}` });
    await knex('orders').where({ id: market.held }).update({ domain });
    const text = await found('exactly.com');
    expect(/scope="row"[^>]*>(?:<a [^>]*>)?([^<]+)/.exec(text)?.[1]).toBe(domain);
    const listings = readable((await found('exactly')).split('Listings').at(-1) ?? '');
    expect(listings).toContain('exactly.community');
    const [first] =
      (await found('exactly.com'))
        .split('id="listings"')
        .at(-1)
        ?.match(/exactly\.com\w*/) ?? [];
    expect(first).toBe(domain);
  });

  it('finds requests by id, documents by number, and objects by the partner’s reference', async () => {
    const { knex } = app.runtime.db;
    const request = await knex('api_requests').where({ id: market.requestId }).first();
    const asked = readable(await found(request.request_id));
    expect(asked).toContain('API requests');
    expect(asked).toContain(request.path);

    const document = await knex('documents').orderBy('id').first();
    const { environment, kind, year, number } = document;
    const papers = await found(documentNumber({ environment, kind, year, number }));
    expect(papers).toContain(`/ops/documents/${document.id}`);

    const sessions = readable(await found('cart-17'));
    expect(sessions).toContain('Checkout sessions');
    expect(sessions).toContain('amberfield.com');
    await knex('orders').where({ id: market.toPush }).update({ external_payment_ref: 'pi-4711' });
    expect(await found('pi-4711')).toContain(`/ops/orders/${market.toPush}`);
  });
});

describe('a console list', () => {
  const rowsOf = (text: string) => text.match(/scope="row"/g)?.length ?? 0;

  it('can be sorted by its columns and filtered by date', async () => {
    const first = async (query: string) =>
      /scope="row"[^>]*><a href="\/ops\/orders\/([^"]*)"/.exec(
        (await ops.visit(`/orders${query}`)).text,
      )?.[1];
    const ids: string[] = await app.runtime.db.knex('orders').orderBy('id').pluck('id');
    expect(await first('')).toBe(ids.at(-1));
    expect(await first('?sort=oldest')).toBe(ids[0]);
    expect((await ops.visit('/orders?sort=oldest')).text).toContain('aria-sort="ascending"');
    // Midnight may have passed since they were created.
    const [yesterday, today] = [-DAY, 0].map((ms) =>
      addMs(app.runtime.clock.now(), ms).toISOString().slice(0, 10),
    );
    const days = `from=${yesterday}&to=${today}`;
    expect(rowsOf((await ops.visit(`/orders?${days}`)).text)).toBe(ids.length);
    expect(rowsOf((await ops.visit('/orders?to=2020-01-01')).text)).toBe(0);
    expect((await ops.visit('/orders?from=2026-02-02&to=2026-02-01')).status).toBe(400);
    expect((await ops.visit('/orders?sort=price')).status).toBe(400);
  });

  it('keeps its order across pages', async () => {
    const pages = await Promise.all(
      ['newest', 'oldest'].map((sort) => ops.visit(`/audit?sort=${sort}`)),
    );
    for (const { text } of pages) {
      const [, next = ''] = /href="\/ops(\/audit\?[^"]*)" rel="next"/.exec(text) ?? [];
      const second = await ops.visit(next.replaceAll('&amp;', '&'));
      expect(rowsOf(text)).toBe(50);
      expect(rowsOf(second.text)).toBeGreaterThan(0);
    }
  });

  const lists = [
    'review',
    'transfers',
    'orders',
    'partners',
    'settlements',
    'payouts',
    'repayments',
    'registry-messages',
    'refused-holds',
  ]
    .concat([
      'brokerage',
      'mail',
      'mail/suppressions',
      'audit',
      'listings',
      'owners',
      'bulk-jobs',
      'transfers-out',
    ])
    .concat([
      'legal-holds',
      'payments',
      'renewals',
      'referrals',
      'referrals/links',
      'people/failed-sign-ins',
    ]);

  it.each(lists)('%s can be downloaded as CSV with the same filter', async (path) => {
    const { status, headers, text } = await ops.visit(`/${path}?format=csv`);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^text\/csv/);
    expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename="[\w-]+\.csv"$/);
    const { text: page } = await ops.visit(`/${path}`);
    const records = parse(text, { columns: true });
    // A page has at most 50 rows, a file has all of them.
    expect(records.length).toBeGreaterThanOrEqual(rowsOf(page));
    if (rowsOf(page) > 0) expect(page).toContain('format=csv');
    const { text: none } = await ops.visit(`/${path}?format=csv&to=1990-01-01`);
    expect(parse(none, { columns: true })).toEqual([]);
  });

  it('can be downloaded as CSV for people, webhooks, ledger, search misses and imports', async () => {
    const { runtime } = app;
    await checkLedger(runtime);
    runtime.searchMisses.count('SANDBOX', 'nothing like it');
    await runtime.searchMisses.flush();
    const { secondEndpointId, endpointId, partnerId } = market;
    const files = {
      '/people?role=ops': 'email',
      '/webhooks?show=all': 'partner_id',
      [`/webhooks/SANDBOX/${partnerId}?type=order.recorded`]: 'event_type',
      [`/webhooks/${endpointId}?status=pending`]: 'status',
      [`/webhooks/${secondEndpointId}/replays?`]: 'state',
      '/ledger?': 'entries',
      '/market-search/nothing-found?environment=SANDBOX': 'searches',
      '/listings/import?': 'file_name',
    };
    for (const [path, column] of Object.entries(files)) {
      const page = await ops.visit(path);
      const [, link = ''] = /href="\/ops([^"]*format=csv[^"]*)" download/.exec(page.text) ?? [];
      const { headers, text } = await ops.visit(link.replaceAll('&amp;', '&'));
      expect([path, headers.get('Content-Type')]).toEqual([path, 'text/csv; charset=utf-8']);
      const records = parse(text, { columns: true }) as Record<string, string>[];
      expect([path, records.length > 0]).toEqual([path, true]);
      for (const record of records) expect([path, record[column] !== '']).toEqual([path, true]);
    }
    const [sent] = parse(
      (await ops.visit(`/webhooks/SANDBOX/${partnerId}?type=order.recorded&format=csv`)).text,
      {
        columns: true,
      },
    ) as Record<string, string>[];
    expect(sent).toMatchObject({ event_type: 'order.recorded', attempts: '0' });
    const none = await ops.visit('/people?format=csv&email=nobody-like-this');
    expect(parse(none.text, { columns: true })).toEqual([]);
  });

  it('escapes spreadsheet formulas in CSV', async () => {
    const { knex } = app.runtime.db;
    await knex('partners').where({ id: market.partnerId }).update({ name: '=HYPERLINK("x")' });
    const { text } = await ops.visit('/partners?format=csv');
    await knex('partners').where({ id: market.partnerId }).update({ name: HOSTILE });
    const names = parse(text, { columns: true }).map((row) => (row as { name: string }).name);
    expect(names).toContain(`'=HYPERLINK("x")`);
  });
});
