import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consolePages } from '../../api/ops/console/console-router.ts';
import { actionForms } from '../../api/ops/console/forms/action-forms.ts';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import type { TestApp } from '../support/app.ts';
import { fetchPage, givenSession, sendForm } from '../support/checkout.ts';
import type { ConsoleVisitor } from '../support/console.ts';
import {
  type ConsoleMarket,
  filledPath,
  formSubjects,
  startConsoleScene,
} from '../support/console-market.ts';
import type { PartnerFixture } from '../support/factories.ts';
import type { SignedClient } from '../support/signed-client.ts';

const HOSTILE = `<img src=x onerror=alert(1)>"'&{{7*7}}</title></script><script>alert(2)</script>`;

let app: TestApp;
let ops: ConsoleVisitor;
let market: ConsoleMarket;
let partner: PartnerFixture & { client: SignedClient };

beforeAll(async () => {
  ({ app, ops, market } = await startConsoleScene());
  partner = await app.partner();
});
afterAll(() => app?.stop());

describe('stored markup', () => {
  /** Names of columns that hold a word of ours, a key or a machine-read text: not for people to fill. */
  const OURS =
    /(^|_)(id|ids|uid|code|status|state|environment|currency|kind|type|source|tier|op|outcome|model|period|role|method|queue|name_of_job|hash|body|tld|credential|key|path|account|entry|provider|requested_by|actor|made_by|event|country|url|dedupe_key)$/;
  const TABLES =
    /^(brokerage|checkout|listings|order|owned|partners|payments|payouts|refunds|referral|settle|transfers|users|webhook|outbox)/;
  let hostile: string[] = [];

  beforeAll(async () => {
    const { knex } = app.runtime.db;
    const columns = await knex('information_schema.columns')
      .where({ table_schema: 'public', data_type: 'text' })
      .select('table_name', 'column_name');
    hostile = [];
    for (const { table_name: table, column_name: column } of columns) {
      if (!TABLES.test(table) || OURS.test(column)) continue;
      // What a constraint refuses can not be stored by anybody.
      const stored = await knex(table)
        .update({ [column]: HOSTILE })
        .then(
          (rows) => rows > 0,
          () => false,
        );
      if (stored) hostile.push(`${table}.${column}`);
    }
    const address = { url: 'https://partner.example/?<img src=x onerror=alert(1)>"\'' };
    await knex('webhook_endpoints').update(address);
    // What stands in the trail stays as it is; a new line can hold anything.
    const changed = JSON.stringify({ [HOSTILE]: HOSTILE });
    const line = { actor: ops.userId, action: HOSTILE, subject: HOSTILE, after: changed };
    await knex('audit_log').insert({ ...line, at: new Date() });
  });

  afterAll(() =>
    app.runtime.db.knex('users').where({ id: ops.userId }).update({ email: ops.email }),
  );

  const expectText = (path: string, text: string) => {
    expect([path, text.match(/<img[^>]*|<script>[^<]*|javascript:[^"]*/i)?.[0]]).toEqual([
      path,
      undefined,
    ]);
    expect([path, /<title>[^<]*<\/title>/.test(text)]).toEqual([path, true]);
  };

  it('was written to the fields that people and partners fill in', () => {
    expect(hostile).toEqual(
      expect.arrayContaining([
        'partners.name',
        'orders.buyer_name',
        'orders.domain',
        'order_timeline.note',
        'refunds.note',
        'payouts.reference',
      ]),
    );
  });

  it('was written to the audit log', async () => {
    expect((await ops.visit('/audit')).text).toContain('&lt;img');
  });

  it.each(consolePages.map(({ path }) => path))('is escaped on %s', async (path) => {
    const { status, text } = await ops.visit(filledPath(market, path));
    expect(status).toBeLessThan(500);
    expectText(path, text);
  });

  it.each([...actionForms().keys()])(
    'is escaped on the form %s and when the form is shown again',
    async (form) => {
      const asked = await ops.visit(`/do/${form}?${new URLSearchParams(formSubjects(market))}`);
      expectText(form, asked.text);
      const names = [...asked.text.matchAll(/name="(\w+)"/g)].map(([, name = '']) => name);
      const typed = Object.fromEntries(names.map((name) => [name, HOSTILE]));
      const again = await ops.post(`/do/${form}`, { ...typed, ...formSubjects(market), once: 'x' });
      expect(again.status).toBeLessThan(500);
      expectText(form, again.text);
    },
  );

  it('is escaped in console query parameters and paths', async () => {
    const q = encodeURIComponent(HOSTILE);
    for (const path of [
      `/search?q=${q}`,
      `/orders?status=${q}`,
      `/audit?subject=${q}`,
      `/market-search?q=${q}`,
      `/orders/${q}`,
      `/do/${q}`,
      `/do/order-clear?order=${q}&back=${q}`,
    ]) {
      const { status, text } = await ops.visit(path);
      expect(status).toBeLessThan(500);
      expectText(path, text);
    }
  });

  it('is escaped on the checkout and brokerage pages', async () => {
    const session = await givenSession(app, partner.client, {}, { client_reference: HOSTILE });
    const fields = {
      email: HOSTILE,
      name: HOSTILE,
      country: HOSTILE,
      number: HOSTILE,
      expiry: HOSTILE,
      cvc: HOSTILE,
    };
    expectText('checkout', (await sendForm(session.url, 'pay', fields)).text);
    await app.runtime.db
      .knex('checkout_sessions')
      .where({ id: session.id })
      .update({ domain: HOSTILE, buyer_name: HOSTILE, last_decline: HOSTILE });
    expectText('checkout', (await fetchPage(session.url)).text);
    // The page writes the domain as people do, which only a domain can be.
    const domain = 'wanted-harvestmoon.com';
    await app.runtime.db.knex('brokerage_cases').where({ id: market.caseId }).update({ domain });
    const { pathname, search } = new URL(await progressUrl(app.runtime, market.caseId));
    const page = await fetchPage(app.url + pathname + search);
    expect(page.status).toBe(200);
    expectText('case', page.text);
  });
});
