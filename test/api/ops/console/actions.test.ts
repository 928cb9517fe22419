import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actionForms } from '../../../../api/ops/console/forms/action-forms.ts';
import { opsRoutes } from '../../../../api/ops/ops-routes.ts';
import { addMs, DAY, HOUR } from '../../../../shared/platform/clock.ts';
import { newId } from '../../../../shared/platform/ids.ts';
import { recordCancelPushResult } from '../../../../shared/sales/refunds/pending-refund.ts';
import type { TestApp } from '../../../support/app.ts';
import { bringTo, givenCase } from '../../../support/brokerage.ts';
import { type ConsoleVisitor, hiddenFields, readable } from '../../../support/console.ts';
import { type ConsoleMarket, startConsoleScene } from '../../../support/console-market.ts';
import { eventually } from '../../../support/eventually.ts';
import { givenListing } from '../../../support/factories.ts';
import { givenUnrefundable } from '../../../support/payments.ts';

const HOSTILE = `<img src=x onerror=alert(1)>"'&Sons`;

let app: TestApp;
let ops: ConsoleVisitor;
let market: ConsoleMarket;

beforeAll(async () => {
  ({ app, ops, market } = await startConsoleScene(HOSTILE));
});
afterAll(() => app?.stop());

const statusOf = async (order: string) =>
  (await app.runtime.db.knex('orders').where({ id: order }).first()).status;
const trailOf = (subject: string) =>
  app.runtime.db.knex('audit_log').where({ subject }).orderBy('id');
/** Waits for a figure, because figures from a moment ago may be shown once more. */
const untilOverviewTells = (figure: string) =>
  eventually(
    async () => readable((await ops.visit('/?environment=SANDBOX')).text),
    (text) => text.includes(figure),
  );

describe('every console form', () => {
  it('runs an action of the ops API', () => {
    const served = new Set(opsRoutes.map(({ action }) => action));
    for (const form of actionForms().values()) expect(served.has(form.action)).toBe(true);
  });

  it('returns 404 for an unknown subject', async () => {
    for (const [name, form] of actionForms()) {
      if (form.given.length === 0) continue;
      const given = Object.fromEntries(
        form.given.map((field) => [field, newId('order', new Date())]),
      );
      const { status } = await ops.visit(`/do/${name}?${new URLSearchParams(given)}`);
      expect([name, status]).toEqual([name, 404]);
    }
  });

  it('asks for confirmation: opening it changes nothing', async () => {
    const before = await app.runtime.db.knex('audit_log').count();
    const { text } = await ops.visit(`/do/order-clear?order=${market.held}`);
    expect(readable(text)).toContain('Approve hold-oakbridge.com?');
    expect(await statusOf(market.held)).toBe('MANUAL_REVIEW');
    expect(await app.runtime.db.knex('audit_log').count()).toEqual(before);
  });
});

describe('orders in the console', () => {
  it('are approved once, however often the form is sent', async () => {
    const path = `/do/order-clear?${new URLSearchParams({ order: market.held, back: '/ops/review' })}`;
    const fields = hiddenFields((await ops.visit(path)).text);
    const done = await ops.post('/do/order-clear', fields);
    expect(done.status).toBe(303);
    expect(done.headers.get('Location')).toBe('/ops/review');
    const list = await ops.follow(done);
    expect(list.text).toMatch(/role="status"[^>]*>hold-oakbridge.com is approved\./);
    expect((await ops.visit('/review')).text).not.toContain('is approved');
    expect(await statusOf(market.held)).toBe('EXTERNALLY_PAID');
    expect(await trailOf(market.held)).toMatchObject([
      {
        actor: ops.userId,
        action: 'order:clear',
        before: { status: 'MANUAL_REVIEW' },
        after: { status: 'EXTERNALLY_PAID' },
      },
    ]);

    const again = await ops.post('/do/order-clear', fields);
    expect(again.status).toBe(409);
    expect(readable(again.text)).toContain('was already sent');
    const anew = await ops.act('order-clear', { order: market.held });
    expect(anew.status).toBe(409);
    expect(readable(anew.text)).toContain(
      'The order is EXTERNALLY_PAID; it is not held for review.',
    );
    expect(await trailOf(market.held)).toHaveLength(1);
  });

  it('can be transferred, retried, confirmed and clawed back', async () => {
    await ops.act('order-start-transfer', { order: market.toPush });
    expect(await statusOf(market.toPush)).toBe('TRANSFER_IN_PROGRESS');
    const retried = await ops.act('order-retry-transfer', { order: market.failed });
    expect(retried.headers.get('Location')).toBe(`/ops/orders/${market.failed}`);
    await ops.act('order-confirm-delivery', { order: market.stuck });
    expect(await statusOf(market.stuck)).toBe('TRANSFER_COMPLETED');
    expect((await ops.visit(`/orders/${market.stuck}`)).text).toContain('Claw back');
    const note = 'Stolen card <script>';
    await ops.act('order-refund', { order: market.stuck }, { reason: 'fraudulent', note });
    expect(await statusOf(market.stuck)).toBe('REFUNDED');
    const { text } = await ops.visit(`/orders/${market.stuck}`);
    expect(readable(text)).toContain(note);
    expect(text).not.toContain('<script');
    // Colleagues are shown by email address.
    expect(readable(text)).not.toContain(ops.userId);
    expect(readable(text)).not.toContain('Paid back by hand');
    const trail = await trailOf(market.stuck);
    expect(trail.map(({ action }) => action)).toEqual(['order:confirm-delivery', 'order:refund']);
  });

  it('show whether the buyer was paid back by hand', async () => {
    const { knex } = app.runtime.db;
    const order = await knex('orders').where({ id: market.refunded }).first();
    await knex('buyer_repayments').insert({
      order_id: order.id,
      partner_id: order.partner_id,
      environment: order.environment,
      amount_cents: order.sale_price_cents,
      currency: order.currency,
      status: 'owed',
      created_at: order.updated_at,
    });
    const shown = async () => readable((await ops.visit(`/orders/${market.refunded}`)).text);
    expect(await shown()).toMatch(/Paid back by hand\s*Owed: buyers to pay back/);
    await ops.act('repayment-mark-paid', { order: market.refunded }, { reference: 'wire-4711' });
    expect(await shown()).toMatch(/Paid back by hand\s*Paid: wire-4711/);
  });

  it('list a buyer whose late money is to be paid back, until it is', async () => {
    const { session, paymentId } = await givenUnrefundable(app.runtime);
    const list = async () => (await ops.visit('/repayments')).text;
    const row = await list();
    for (const shown of [session.domain, paymentId, 'Payment without an order']) {
      expect(row).toContain(shown);
    }
    await ops.act('repayment-mark-paid', { order: paymentId }, { reference: 'wire-4712' });
    expect(await list()).not.toContain(paymentId);
  });

  it('wait for a decision if a refund could not be confirmed, and can be relisted by hand', async () => {
    const { runtime } = app;
    await runtime.db.knex('transfers').where({ order_id: market.underWay }).update({
      status: 'pending_registry',
      attempts: 1,
    });
    const asked = await ops.act('order-refund', { order: market.underWay });
    expect(asked.status).toBe(303);
    expect(await statusOf(market.underWay)).toBe('TRANSFER_IN_PROGRESS');
    const waiting = readable((await ops.visit(`/orders/${market.underWay}`)).text);
    expect(waiting).toContain('Refund: waiting for the registrar to stop the transfer');
    expect(waiting).not.toContain('Confirm delivery');
    await runtime.db.transact((uow) => recordCancelPushResult(uow, market.underWay, 'unanswered'));

    await untilOverviewTells('1 Refunds to decide');
    const { text: list } = await ops.visit('/transfers?stage=refund_to_decide');
    expect(readable(list)).toContain('morningharbor.com');
    expect(list).toContain('/ops/do/refund-approve');
    expect(list).toContain('/ops/do/refund-decline');
    await ops.act('refund-approve', { order: market.underWay });
    expect(await statusOf(market.underWay)).toBe('REFUNDED');

    const given = { environment: 'SANDBOX', domain: 'morningharbor.com' };
    expect((await ops.visit(`/orders/${market.underWay}`)).text).toContain(
      '/ops/do/listing-relist',
    );
    expect((await ops.act('listing-relist', given)).status).toBe(303);
    expect(await runtime.db.knex('listings').where(given).first()).toMatchObject({
      status: 'listed',
    });
    expect((await trailOf('SANDBOX:morningharbor.com')).map(({ action }) => action)).toEqual([
      'listing:relist',
    ]);
  });

  it('keep the form input when a field is rejected', async () => {
    const refused = await ops.act(
      'order-refund',
      { order: market.delivered },
      { reason: 'because', note: 'a "quoted" note' },
    );
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('value="a &quot;quoted&quot; note"');
    expect(refused.text).toContain('aria-invalid="true"');
    expect(readable(refused.text)).toContain('Reason must be one of requested_by_customer');
    expect(await statusOf(market.delivered)).toBe('TRANSFER_COMPLETED');
  });

  it('never redirect outside the console', async () => {
    for (const back of ['https://evil.example', '//evil.example', '/partner', '/ops/\\evil']) {
      const query = new URLSearchParams({ order: market.delivered, back });
      const { text } = await ops.visit(`/do/order-refund?${query}`);
      expect(hiddenFields(text).back).toBe('/ops');
    }
  });
});

describe('webhooks in the console', () => {
  it('are resent as a new delivery', async () => {
    const path = `/ops/webhooks/SANDBOX/${market.partnerId}`;
    const done = await ops.act('webhook-resend', { delivery: market.deliveryId, back: path });
    expect(done.headers.get('Location')).toBe(path);
    expect(readable((await ops.follow(done)).text)).toContain('order.recorded was sent again.');
    const [copy] = await app.runtime.db
      .knex('webhook_deliveries')
      .where({ resend_of: market.deliveryId });
    expect(copy).toMatchObject({ state: 'pending', endpoint_id: market.endpointId });
    expect(await trailOf(market.deliveryId)).toMatchObject([
      { actor: ops.userId, action: 'webhook:resend' },
    ]);
  });

  it('are listed with their log when the endpoint is failing', async () => {
    const now = app.runtime.clock.now();
    const { knex } = app.runtime.db;
    expect((await ops.visit('/webhooks')).text).toContain('All endpoints are healthy.');
    await knex('webhook_endpoints')
      .where({ id: market.endpointId })
      .update({ failing_since: now, last_failure_at: now });
    await knex('webhook_attempts').insert({
      delivery_id: market.deliveryId,
      attempt: 1,
      started_at: now,
      elapsed_ms: 87,
      status: 500,
      outcome: 'http_status',
      response_body: '<h1>Oops</h1>',
    });
    const list = await ops.visit('/webhooks');
    expect(list.text).toContain(`/ops/webhooks/${market.endpointId}`);
    const log = await ops.visit(`/webhooks/${market.endpointId}?type=order.recorded`);
    expect(readable(log.text)).toContain('1, last: 500');
    expect(readable(log.text)).toContain('87 ms');
    expect(log.text).not.toContain('<h1>Oops');
    const none = await ops.visit(`/webhooks/SANDBOX/${market.partnerId}?status=exhausted`);
    expect(readable(none.text)).toContain('No deliveries match.');
  });

  it('show all endpoints of a partner with their state, each with a page of its settings', async () => {
    const list = await ops.visit(`/webhooks/SANDBOX/${market.partnerId}`);
    for (const id of [market.endpointId, market.secondEndpointId]) {
      expect(list.text).toContain(`href="/ops/webhooks/${id}"`);
    }
    const page = readable((await ops.visit(`/webhooks/${market.secondEndpointId}`)).text);
    for (const setting of [
      'order.*, transfer.completed',
      'Thin',
      'One at a time per subject',
      'At most 50 per second',
      'x-tenant',
      'Circuit breaker Closed',
    ]) {
      expect(page).toContain(setting);
    }
    expect(page).not.toContain('northwind');
    const { knex } = app.runtime.db;
    const openUntil = addMs(app.runtime.clock.now(), HOUR);
    const second = knex('webhook_endpoints').where({ id: market.secondEndpointId });
    await second.clone().update({ open_until: openUntil, failing_since: openUntil });
    const open = readable((await ops.visit(`/webhooks/${market.secondEndpointId}`)).text);
    expect(open).toContain('Circuit breaker Open until');
    await second.update({ open_until: null, failing_since: null });
  });

  it('are filtered by endpoint, type, status and day, with headers and bodies of attempts', async () => {
    const { knex } = app.runtime.db;
    const attempt = { delivery_id: market.deliveryId, attempt: 1 };
    await knex('webhook_attempts')
      .where(attempt)
      .update({
        request_headers: { 'x-service-event-type': 'order.recorded' },
        response_headers: { server: 'oven/1.0' },
        response_body: '<b>burnt</b>',
      });
    const path = `/webhooks/SANDBOX/${market.partnerId}`;
    // Midnight may have passed since they were created.
    const [yesterday, today] = [-DAY, 0].map((ms) =>
      addMs(app.runtime.clock.now(), ms).toISOString().slice(0, 10),
    );
    const rowsOf = async (query: string) => {
      const { status, text } = await ops.visit(`${path}?${query}`);
      expect(status).toBe(200);
      return text.match(/webhook-resend/g)?.length ?? 0;
    };
    const refunds = 'type=order.refunded';
    const ofSecond = await rowsOf(`${refunds}&endpoint=${market.secondEndpointId}`);
    const ofFirst = await rowsOf(`${refunds}&endpoint=${market.endpointId}`);
    expect(ofSecond).toBeGreaterThan(0);
    expect(ofFirst).toBe(ofSecond);
    expect(await rowsOf(refunds)).toBe(ofFirst + ofSecond);
    expect(await rowsOf(`${refunds}&from=${yesterday}&to=${today}`)).toBe(ofFirst + ofSecond);
    expect(await rowsOf('type=order.*')).toBeGreaterThan(ofFirst + ofSecond);
    expect(await rowsOf(`type=brokerage.*&endpoint=${market.secondEndpointId}`)).toBe(0);
    expect(await rowsOf('to=2001-01-01')).toBe(0);
    expect((await ops.visit(`${path}?from=yesterday`)).status).toBe(400);
    const log = (await ops.visit(`/webhooks/${market.endpointId}?type=order.recorded`)).text;
    expect(readable(log)).toContain('Request headers x-service-event-type order.recorded');
    expect(readable(log)).toContain('Response headers server oven/1.0');
    expect(log).toContain('&lt;b&gt;burnt');
  });

  it('can be tested and replayed, and a replay shows its progress and can be canceled', async () => {
    const endpoint = market.secondEndpointId;
    const path = `/ops/webhooks/${endpoint}`;
    const tested = await ops.act('webhook-test', { endpoint });
    expect(tested.headers.get('Location')).toBe(path);
    const day = app.runtime.clock.now().toISOString().slice(0, 10);
    const period = { from: day, to: '2099-01-01', event_types: 'order.recorded, transfer.*' };
    const asked = await ops.act('webhook-replay', { endpoint }, period);
    expect(readable((await ops.follow(asked)).text)).toContain('The replay has started.');
    expect(asked.headers.get('Location')).toBe(`${path}/replays`);
    const page = await ops.visit(`/webhooks/${endpoint}/replays`);
    expect(readable(page.text)).toContain('order.recorded, transfer.*');
    expect(page.text).toContain('<progress max="100" value="0"');
    expect(readable(page.text)).toContain('Still running. Refresh');
    const replays = await app.runtime.db.knex('webhook_replays').where({ endpoint_id: endpoint });
    for (const { id } of replays) await ops.act('webhook-cancel-replay', { replay: id });
    const after = readable((await ops.visit(`/webhooks/${endpoint}/replays`)).text);
    expect(after).toContain('Canceled');
    expect(after).not.toContain('Still running');
    expect((await trailOf(endpoint)).map(({ action }) => action)).toEqual([
      'webhook:test',
      'webhook:replay',
    ]);
    const broken = await ops.act('webhook-replay', { endpoint }, { ...period, event_types: 'x' });
    expect(broken.status).toBe(400);
  });
});

describe('partners and keys in the console', () => {
  it('show the secret of a new key once, on the page that issues it', async () => {
    const opened = await ops.act(
      'partner-create',
      {},
      { name: 'Fabrikam', commission_bps: '1250' },
    );
    const home = opened.headers.get('Location') ?? '';
    expect(home).toMatch(/^\/ops\/partners\/ptr_/);
    const partner = home.replace('/ops/partners/', '');
    expect(readable((await ops.follow(opened)).text)).toContain('12.5%');

    const none = await ops.act('credential-create', { partner }, { environment: 'SANDBOX' });
    expect(none.status).toBe(400);
    expect(readable(none.text)).toContain('Choose at least one.');
    const fields = { environment: 'SANDBOX', scopes: ['search', 'buy'] };
    const issued = await ops.act('credential-create', { partner }, fields);
    expect(issued.status).toBe(200);
    expect(issued.headers.get('Cache-Control')).toBe('no-store');
    const [secret = ''] = /sk_sandbox_[\w-]{43}/.exec(issued.text) ?? [];
    const [keyId = ''] = /pk_sandbox_\w{24}/.exec(issued.text) ?? [];
    await app.as({ keyId, secret }).get('/v1/orders').expect(200);
    const page = await ops.visit(`/partners/${partner}`);
    expect(page.text).toContain(keyId);
    expect(page.text).not.toContain('sk_');

    const rotated = await ops.act('credential-rotate', { key_id: keyId }, { overlap_hours: '2' });
    expect(rotated.text).toMatch(/sk_sandbox_/);
    const revoked = await ops.act('credential-revoke', { key_id: keyId });
    expect(revoked.headers.get('Location')).toBe(home);
    await app.as({ keyId, secret }).get('/v1/orders').expect(403);
    const trail = await trailOf(keyId);
    expect(trail.map(({ action, actor }) => [action, actor])).toEqual([
      ['credential:create', ops.userId],
      ['credential:rotate', ops.userId],
      ['credential:revoke', ops.userId],
    ]);
    expect(JSON.stringify(trail)).not.toContain('sk_');

    await ops.act('partner-suspend', { partner });
    expect(readable((await ops.visit(`/partners/${partner}`)).text)).toContain('Suspended');
    await ops.act('partner-resume', { partner });
    expect(readable((await ops.visit(`/audit?subject=${partner}`)).text)).toContain(
      'status suspended → active',
    );
  });
});

describe('money actions in the console', () => {
  it('mark settlements and payouts as paid or reversed, and the ledger balances', async () => {
    const { settlementId: id } = market;
    const empty = await ops.act('settlement-mark-paid', { id }, { reference: ' ' });
    expect(empty.status).toBe(400);
    expect(readable(empty.text)).toContain('Reference must have 1 to 255 characters.');
    const paid = await ops.act('settlement-mark-paid', { id }, { reference: 'wire-1' });
    const page = readable((await ops.follow(paid)).text);
    expect(page).toContain('is paid.');
    expect(page).toContain('wire-1');
    expect(await trailOf(id)).toMatchObject([{ actor: ops.userId, after: { status: 'paid' } }]);

    const payout = await ops.act('payout-mark-paid', { id: market.payoutId }, { reference: 'w-2' });
    expect(payout.headers.get('Location')).toBe('/ops/payouts');
    expect((await ops.visit('/payouts?status=paid')).text).toContain('w-2');

    // Both payments are returned.
    const unpaid = await ops.act('settlement-reverse-payment', { id }, { reference: 'return-1' });
    const closed = await ops.follow(unpaid);
    expect(readable(closed.text)).toContain('is reversed.');
    expect(closed.text).toContain('/ops/do/settlement-mark-paid');
    expect((await ops.visit('/payouts?status=paid')).text).toContain('/ops/do/payout-reverse');
    const returned = { reference: 'return-2', reason: 'account closed' };
    await ops.act('payout-reverse', { id: market.payoutId }, returned);
    expect((await ops.visit('/payouts?status=failed')).text).toContain('account closed');

    const checked = await ops.act('ledger-check', {});
    expect(readable((await ops.follow(checked)).text)).toMatch(
      /The ledger balances: \d+ entries\./,
    );
  });

  it('start a settlement run and show its progress', async () => {
    const period = app.runtime.clock.now().toISOString().slice(0, 7);
    const wrong = await ops.act('settlement-run', {}, { environment: 'SANDBOX', period: 'soon' });
    expect(wrong.status).toBe(400);
    const asked = await ops.act('settlement-run', {}, { environment: 'SANDBOX', period });
    expect(asked.headers.get('Location')).toMatch(/^\/ops\/settlement-runs\/run_/);
    const page = readable((await ops.follow(asked)).text);
    expect(page).toContain('The settlement run has started.');
    expect(page).toContain('Still running.');
  });

  it('move a brokerage case to a completed deal', async () => {
    const move = (to: string, fields = {}) =>
      ops.act('brokerage-move', { case: market.caseId, to }, fields);
    const complete = (fields = {}) =>
      ops.act('brokerage-complete', { case: market.caseId, to: 'COMPLETED' }, fields);
    const early = await complete({ deal_price_cents: '4,500.00' });
    expect(early.status).toBe(409);
    const agreed = await move('AGREED', { offer_cents: '$4,500' });
    expect(readable((await ops.follow(agreed)).text)).toContain('is AGREED.');
    const noPrice = await complete();
    expect(noPrice.status).toBe(400);
    expect(readable(noPrice.text)).toContain('Deal price is required for COMPLETED.');
    const done = await ops.follow(await complete({ deal_price_cents: '4,500.00' }));
    expect(readable(done.text)).toContain('$4,500.00');
    expect(await trailOf(market.caseId)).toHaveLength(2);
  });

  it.each([
    ['JPY', '4,500'],
    ['KWD', '4,500.000'],
  ])('show an amount in %s as it is typed, in hints and errors', async (currency, example) => {
    const owner = { partnerId: market.partnerId, environment: 'SANDBOX' as const };
    const { id } = await givenCase(app.runtime, owner, { currency });
    await bringTo(app.runtime, id, 'CONTACTING_OWNER');
    const about = { case: id, to: 'NEGOTIATING' };
    const wrong = await ops.act('brokerage-move', about, { offer_cents: '$4.5001' });
    const form = readable(wrong.text);
    expect(form).not.toContain('Deal price');
    expect(form).toContain(`Offer (${currency})`);
    expect(form).toContain(`The latest offer. Example: ${example}`);
    expect(form).toContain(`Offer must be an amount in ${currency} such as ${example}.`);
    const right = await ops.act('brokerage-move', about, { offer_cents: example });
    expect(right.status).toBe(303);
  });

  it('counter an offer for the owner, with the whole negotiation on its page', async () => {
    const { offerId } = market;
    const counter = (amount_cents: string) =>
      ops.act('offer-counter', { offer: offerId }, { amount_cents });
    const above = readable((await counter('4,999.00')).text);
    expect(above).toContain('slowferry.com costs $4,850.00');
    expect(above).toMatch(
      /Amount \(USD\) .*The owner’s price: above the offer, up to the price\. Example: 4,500\.00/,
    );
    const page = readable((await ops.follow(await counter('4,000.00'))).text);
    expect(page).toContain('The offer on slowferry.com is countered.');
    expect(page).toMatch(/Created Buyer \$3,000\.00/);
    expect(page).toMatch(/Countered Owner \$4,000\.00/);
    expect(page).not.toContain('Accept');
    expect(await trailOf(offerId)).toHaveLength(1);
  });

  it('show when an accepted offer was released, in place of until when to pay', async () => {
    const { domain } = await givenListing(app.runtime, { offersAccepted: true });
    const { client } = await app.partner();
    const buyer = { email: 'buyer@example.com' };
    const body = { domain, amount_cents: 300_000, buyer };
    const { id } = (await client.post('/v1/offers', { body }).expect(201)).body;
    const { text: accepted } = await ops.follow(await ops.act('offer-accept', { offer: id }, {}));
    expect(readable(accepted)).toContain('Pay until');
    const { quote_id } = (await client.get(`/v1/offers/${id}`).expect(200)).body;
    await client.delete(`/v1/quotes/${quote_id}`).expect(204);
    const page = readable((await ops.visit(`/offers/${id}`)).text);
    expect(page).toMatch(/Released \w{3} \d/);
    expect(page).not.toContain('Pay until');
  });

  it('set a private floor without showing it', async () => {
    const about = { environment: 'SANDBOX', domain: 'slowferry.com' };
    const set = await ops.act('listing-offer-floor', about, { floor_cents: '3,456.78' });
    const page = readable((await ops.follow(set)).text);
    expect(page).toContain('The floor of slowferry.com is set.');
    expect(page).not.toContain('3,456.78');
  });

  it('show a ledger imbalance on the overview, with every finding on its page', async () => {
    const finding = {
      check: 'entries_balance',
      subject: 'txn_<x>',
      problem: 'the entry does not balance',
      expected: 0,
      actual: 17,
    };
    await app.runtime.db.knex('ledger_checks').insert({
      at: app.runtime.clock.now(),
      ok: false,
      entries: 12,
      imbalances: JSON.stringify([finding]),
    });
    await untilOverviewTells('ledger does not balance');
    const { text } = await ops.visit('/ledger');
    expect(readable(text)).toContain('txn_<x> Entries balance the entry does not balance 0 17');
    expect(text).not.toContain('txn_<x>');
  });
});
