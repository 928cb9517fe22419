import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  countDaysAhead,
  readPartnerFigures,
} from '../../../shared/operations/daily-figures/daily-figures.ts';
import { addMs, DAY, dayOf, formatDay } from '../../../shared/platform/clock.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import type { TestApp } from '../../support/app.ts';
import { fetchPage } from '../../support/checkout.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../support/console.ts';
import { givenListing, type PartnerFixture } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { givenMember } from '../../support/partner-site.ts';
import { sell } from '../../support/sales.ts';
import { startSignInApp, type Visitor } from '../../support/sign-in.ts';
import type { SignedClient } from '../../support/signed-client.ts';
import { givenEndpoint } from '../../support/webhooks.ts';

const AHEAD_DAYS = 50;

let app: TestApp;
let partner: PartnerFixture & { client: SignedClient };
let viewer: Visitor;
let ops: ConsoleVisitor;
let order: string;

beforeAll(async () => {
  app = await startSignInApp({ RATE_LIMITS: 'off', credentialCacheMs: 0 });
  partner = await app.partner();
  await moveClock(partner.partnerId);
  ({ browser: viewer } = await givenMember(app, 'viewer', partner.partnerId));
  ops = await givenVisitor(app);
  order = await sold(partner.client);
});
afterAll(() => app?.stop());

/** Sets a clock as a completed move does. */
const moveClock = (partnerId: string) =>
  app.runtime.db.knex('sandbox_clocks').insert({
    partner_id: partnerId,
    ahead_ms: AHEAD_DAYS * DAY,
    moved_at: app.runtime.clock.now(),
  });
const sold = async (client: SignedClient) =>
  (await sell(client, await givenListing(app.runtime)).expect(201)).body.public_id;
const sandboxNow = () => addMs(app.runtime.clock.now(), AHEAD_DAYS * DAY);
const site = async (path: string) =>
  readable((await viewer.open(`/partner/${partner.partnerId}/sandbox${path}`)).text);
const JUST_NOW = /now|\d+ (second|minute)s? ago/;

describe('pages of a sandbox whose clock is ahead of real time', () => {
  it('say which clock their times use', async () => {
    for (const path of ['', '/orders', `/orders/${order}`, '/settlements', '/events', '/clock']) {
      expect([path, await site(path)]).toEqual([
        path,
        expect.stringContaining(`The sandbox clock shows ${formatDay(sandboxNow())}`),
      ]);
    }
    for (const path of ['/webhooks', '/webhooks/deliveries', '/requests', '/team', '/referrals']) {
      expect([path, await site(path)]).toEqual([
        path,
        expect.stringContaining(`It is ${formatDay(app.runtime.clock.now())}`),
      ]);
    }
  });

  it('show relative times by that clock', async () => {
    for (const path of ['/orders', `/orders/${order}`, '/events', '/checkouts']) {
      const text = await site(path);
      expect([path, text]).not.toEqual([path, expect.stringMatching(/in \d+ days/)]);
    }
    expect(await site(`/orders/${order}`)).toMatch(JUST_NOW);
  });

  it('show staff each sandbox’s rows by its own clock', async () => {
    const other = await app.partner();
    const id = await sold(other.client);
    for (const path of ['/orders', `/orders/${order}`, `/orders/${id}`, '/search?q=example.com']) {
      const text = readable((await ops.visit(path)).text);
      expect([path, text]).not.toEqual([path, expect.stringMatching(/in \d+ days/)]);
      expect([path, text]).not.toEqual([path, expect.stringMatching(/\d+ days ago/)]);
    }
    const page = readable((await ops.visit(`/orders/${order}`)).text);
    expect(page).toContain('The sandbox clock shows');
    expect(page).toContain('By real time, not the sandbox clock.');
  });

  it('count sales in charts on the sandbox’s date', async () => {
    await givenEndpoint(app.runtime, 'http://127.0.0.1:40999/hook');
    await countDaysAhead(app.runtime);
    await countDaysAhead(app.runtime);
    const { figures } = await readPartnerFigures(app.runtime, {
      partnerId: partner.partnerId,
      environment: 'SANDBOX',
      from: dayOf(sandboxNow()),
      to: dayOf(addMs(sandboxNow(), DAY)),
      unit: 'day',
    });
    expect(figures).toContainEqual(
      expect.objectContaining({ start: dayOf(sandboxNow()), figure: 'orders', sum: 1 }),
    );
    const overview = await site('');
    expect(overview).not.toContain('No orders in this period.');
    expect(overview).toContain(formatDay(sandboxNow()));
  });

  it('show buyers how long a domain is held by the sandbox clock', async () => {
    const { client } = partner;
    const listing = await givenListing(app.runtime);
    const { body: quote } = await client
      .post('/v1/quotes', { body: { domain: listing.domain } })
      .expect(201);
    const { body } = await client
      .post('/v1/checkout-session', { body: { quote_id: quote.quote_id } })
      .expect(201);
    const { pathname, search } = new URL(body.checkout_url);
    const page = readable((await fetchPage(app.url + pathname + search)).text);
    expect(page).toMatch(/Held for you \d+ minutes/);
    expect(page).toContain('The sandbox clock shows');
  });
});

describe('the amount a partner owes', () => {
  it('is split into unpaid statements, the current period, and overdue statements', async () => {
    const { runtime } = app;
    const debtor = await app.partner();
    const owner = { partnerId: debtor.partnerId, environment: 'SANDBOX' } as const;
    const { browser } = await givenMember(app, 'finance', debtor.partnerId);
    const read = async () =>
      readable((await browser.open(`/partner/${debtor.partnerId}/sandbox`)).text);
    expect(await read()).toContain('You owe us, in USD $0.00');

    const deliveredAt = addMs(runtime.clock.now(), -70 * DAY);
    await givenOrder(runtime, owner, { deliveredAt, priceCents: 100_000, commissionBps: 1_000 });
    const until = addMs(runtime.clock.now(), -35 * DAY);
    const [closed] = await closePartnerPeriods(runtime, { ...owner, until });
    const dueAt = addMs(runtime.clock.now(), 10 * DAY);
    await runtime.db.knex('settlements').where({ id: closed }).update({ due_at: dueAt });
    await givenOrder(runtime, owner, {
      deliveredAt: addMs(runtime.clock.now(), -DAY),
      priceCents: 50_000,
      commissionBps: 1_000,
    });
    const before = await read();
    expect(before).toContain('You owe us, in USD $1,350.00');
    expect(before).toContain(`Closed and unpaid $900.00 1 statement, due ${formatDay(dueAt)}`);
    expect(before).toContain('Running period $450.00');
    expect(before).not.toContain('Overdue');

    await moveClock(debtor.partnerId);
    const after = await read();
    expect(after).toContain('Overdue $900.00');
    expect(after).toContain(`1 statement, due since ${formatDay(dueAt)}`);
    const statements = readable(
      (await browser.open(`/partner/${debtor.partnerId}/sandbox/settlements`)).text,
    );
    expect(statements).toContain('Overdue');
  });
});
