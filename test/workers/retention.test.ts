import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { registerEndpoint } from '../../shared/messaging/webhooks/manage-endpoint.ts';
import { checkLedger } from '../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import { applyPaymentState } from '../../shared/sales/checkout/apply-payment-state.ts';
import { expireCheckoutSessions } from '../../shared/sales/checkout/checkout-lifecycle.ts';
import type { CheckoutSession } from '../../shared/sales/checkout/checkout-session.ts';
import { closePartnerPeriods } from '../../shared/settlement/statements/close-statement.ts';
import { SCHEDULED_TASKS } from '../../workers/job-registry.ts';
import { bringTo, givenCase } from '../support/brokerage.ts';
import { givenListing, givenPartner } from '../support/factories.ts';
import { CARDS, card, givenSession, ordersOf, payFor, paymentsOf } from '../support/payments.ts';
import { deliver } from '../support/referrals.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { statementsOf } from '../support/statements.ts';
import { takeBack } from '../support/take-back.ts';
import { givenSale } from '../support/transfers.ts';

let runtime: TestRuntime;
beforeEach(async () => {
  runtime = await createTestRuntime();
});
afterEach(() => runtime.stop());

/** Runs the sweep of this name as the fleet does. */
async function sweep(name: string): Promise<unknown> {
  const row = SCHEDULED_TASKS.find((each) => each.name === name);
  if (!row) throw new Error(`no sweep ${name}`);
  return row.run({ runtime, signal: new AbortController().signal });
}
/** That no buyer was erased. */
const none = { checkouts: 0, offers: 0, cases: 0 };
const table = (name: string) => runtime.db.knex(name);

describe('quote retention', () => {
  it('deletes closed quotes 30 days after they expire and keeps open ones', async () => {
    const { partnerId } = await givenPartner(runtime);
    const now = runtime.clock.now();
    const given = async (state: string, expiresAt: Date) => {
      const { id } = await givenListing(runtime);
      await table('quotes').insert({
        id: newId('quote', now),
        partner_id: partnerId,
        environment: 'SANDBOX',
        listing_id: id,
        price_cents: 100,
        currency: 'USD',
        state,
        created_at: now,
        expires_at: expiresAt,
      });
    };
    for (const state of ['used', 'released', 'superseded', 'expired', 'open'])
      await given(state, addMs(now, -31 * DAY));
    await given('used', addMs(now, -29 * DAY));
    expect(await sweep('delete-expired')).toEqual({ quotes: 4 });
    expect((await table('quotes').pluck('state')).sort()).toEqual(['open', 'used']);
  });

  it('finds expired quotes by index', async () => {
    const { partnerId } = await givenPartner(runtime);
    const { id } = await givenListing(runtime);
    await runtime.db.knex.raw(
      `insert into quotes (id, partner_id, environment, listing_id, price_cents, currency, state, created_at, expires_at)
       select 'q' || n, ?, 'SANDBOX', ?, 1, 'USD', 'expired', ?, ? from generate_series(1, 5000) n`,
      [partnerId, id, runtime.clock.now(), runtime.clock.now()],
    );
    await runtime.db.knex.raw('analyze quotes');
    const { rows } = await runtime.db.knex.raw(
      `explain select id from quotes where state <> 'open' and expires_at < ?
       order by expires_at limit 1000`,
      [addMs(runtime.clock.now(), -30 * DAY)],
    );
    expect(JSON.stringify(rows)).toContain('quotes_ended');
  });
});

describe('registrant retention', () => {
  it('deletes the registrant 90 days after a refund and keeps it while the order is open', async () => {
    const open = await givenSale(runtime);
    const over = await givenSale(runtime);
    await takeBack(runtime, over.order.id);
    const kept = async (): Promise<string[]> => {
      await sweep('delete-expired');
      return (await table('order_registrants').pluck('order_id')).sort();
    };
    runtime.clock.advance(89 * DAY);
    expect(await kept()).toEqual([open.order.id, over.order.id].sort());
    runtime.clock.advance(2 * DAY);
    expect(await kept()).toEqual([open.order.id]);
  });

  it('deletes the registrant 90 days after delivery, or after settlement if that is later', async () => {
    const [delivered, settled] = [await givenSale(runtime), await givenSale(runtime)];
    for (const { order } of [delivered, settled]) await deliver(runtime, order.id);
    const kept = async (): Promise<string[]> => {
      await sweep('delete-expired');
      return (await table('order_registrants').pluck('order_id')).sort();
    };
    const both = [delivered.order.id, settled.order.id].sort();
    runtime.clock.advance(30 * DAY);
    const until = runtime.clock.now();
    await closePartnerPeriods(runtime, { ...settled.caller, until });
    expect(await table('orders').whereIn('id', both).orderBy('id').pluck('status')).toEqual(
      both.map((id) => (id === settled.order.id ? 'SETTLED' : 'TRANSFER_COMPLETED')),
    );
    runtime.clock.advance(59 * DAY);
    expect(await kept()).toEqual(both);
    runtime.clock.advance(2 * DAY);
    expect(await kept()).toEqual([settled.order.id]);
    runtime.clock.advance(30 * DAY);
    expect(await kept()).toEqual([]);
    // What was sold to whom stays in the books.
    expect(await table('orders').whereIn('id', both).pluck('buyer_email')).toEqual(
      Array(2).fill('buyer@example.com'),
    );
  });
});

describe('checkout session retention', () => {
  const stored = (session: CheckoutSession) =>
    table('checkout_sessions').where({ id: session.id }).first();
  /** A session whose buyer filled the form in and was declined, asked to confirm, or paid. */
  const tried = async (number: string) => {
    const session = await givenSession(runtime);
    await payFor(runtime, session, card(number));
    return session;
  };
  /** Lets days pass, as the sweeps see them. */
  const pass = async (days: number) => {
    runtime.clock.advance(days * DAY);
    await expireCheckoutSessions(runtime, 1_000);
    return { erased: await sweep('erase-buyers'), deleted: await sweep('delete-expired') };
  };

  it('erases the buyer a week after the session ended unpaid and deletes the session after 90 days', async () => {
    const declined = await tried(CARDS.declined);
    const paid = await tried(CARDS.succeeds);
    expect(await pass(8)).toEqual({ erased: none, deleted: {} });
    expect(await stored(declined)).toMatchObject({ buyer_email: 'buyer@example.com' });

    expect(await pass(8)).toEqual({ erased: { ...none, checkouts: 1 }, deleted: {} });
    expect(await stored(declined)).toMatchObject({
      status: 'expired',
      buyer_email: null,
      buyer_name: null,
      buyer_country: null,
    });

    expect(await pass(90)).toMatchObject({
      erased: none,
      deleted: { payments: 1, checkout_sessions: 1 },
    });
    expect(await stored(declined)).toBeUndefined();
    expect(await stored(paid)).toMatchObject({ status: 'paid', buyer_email: 'buyer@example.com' });
    expect(await paymentsOf(runtime, paid)).toMatchObject([{ status: 'succeeded' }]);
    expect(await ordersOf(runtime, paid)).toHaveLength(1);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
  });

  it('keeps the buyer while a pending payment can still buy the domain', async () => {
    const waiting = await tried(CARDS.confirms);
    await pass(8);
    const later = await pass(200);
    expect(later.erased).toEqual(none);
    expect(later.deleted).not.toHaveProperty('payments');
    expect(later.deleted).not.toHaveProperty('checkout_sessions');
    const [payment] = await paymentsOf(runtime, waiting);
    await applyPaymentState(runtime, payment?.id ?? '', {
      status: 'succeeded',
      reference: `sandbox_${payment?.id}`,
    });
    const [order] = await table('orders').where({ checkout_session_id: waiting.id });
    expect(order).toMatchObject({ status: 'PAID', buyer_email: 'buyer@example.com' });
  });

  it('refunds a payment that succeeds after the buyer was erased and keeps its record', async () => {
    const session = await tried(CARDS.confirms);
    const [payment] = await paymentsOf(runtime, session);
    const id = payment?.id ?? '';
    await applyPaymentState(runtime, id, { status: 'failed', reference: null, code: 'cancelled' });
    await pass(8);
    expect(await pass(8)).toMatchObject({ erased: { checkouts: 1 } });
    await applyPaymentState(runtime, id, { status: 'succeeded', reference: `sandbox_${id}` });
    expect(await ordersOf(runtime, session)).toEqual([]);
    expect(await paymentsOf(runtime, session)).toMatchObject([{ status: 'refund_pending' }]);
    await pass(400);
    expect(await stored(session)).toMatchObject({ status: 'failed' });
    expect(await paymentsOf(runtime, session)).toHaveLength(1);
  });
});

describe('brokerage case retention', () => {
  it('erases the buyer 90 days after closing without a deal and keeps buyers of other cases', async () => {
    const partner = await givenPartner(runtime);
    await givenCase(runtime, partner);
    const lost = await givenCase(runtime, partner);
    const won = await givenCase(runtime, partner);
    await bringTo(runtime, lost.id, 'CLOSED_NO_DEAL');
    await bringTo(runtime, won.id, 'COMPLETED');
    runtime.clock.advance(89 * DAY);
    expect(await sweep('erase-buyers')).toEqual(none);
    runtime.clock.advance(2 * DAY);
    expect(await sweep('erase-buyers')).toEqual({ ...none, cases: 1 });
    expect(await sweep('erase-buyers')).toEqual(none);
    const erased = await table('brokerage_cases').where({ buyer_email: '' }).pluck('id');
    expect(erased).toEqual([lost.id]);
  });
});

describe('sandbox retention', () => {
  it('deletes finished payments, pushes and changes but keeps refundable and open ones', async () => {
    const now = runtime.clock.now();
    const old = addMs(now, -91 * DAY);
    const payment = { amount_cents: 1, currency: 'USD', created_at: old, expires_at: old };
    await table('sandbox_payments').insert([
      { ...payment, reference: 'failed', payment_id: '1', status: 'failed' },
      { ...payment, reference: 'waits', payment_id: '2', status: 'requires_confirmation' },
      { ...payment, reference: 'refunded', payment_id: '3', status: 'succeeded', refunded_at: old },
      { ...payment, reference: 'paid', payment_id: '4', status: 'succeeded' },
      { ...payment, reference: 'new', payment_id: '5', status: 'failed', expires_at: now },
    ]);
    const push = { domain: 'x.com', accepted_at: old, ready_at: old };
    await table('sandbox_registrar_pushes').insert([
      { ...push, client_reference: 'done', status: 'completed' },
      { ...push, client_reference: 'open', status: 'pending' },
      { ...push, client_reference: 'new', status: 'completed', ready_at: now },
    ]);
    const change = { domain: 'x.com', change: '{}' };
    await table('sandbox_registrar_effects').insert([
      { ...change, client_reference: 'old', made_at: old },
      { ...change, client_reference: 'new', made_at: now },
    ]);
    expect(await sweep('delete-expired')).toEqual({
      sandbox_payments: 3,
      sandbox_registrar_effects: 1,
      sandbox_registrar_pushes: 1,
    });
    expect((await table('sandbox_payments').pluck('reference')).sort()).toEqual(['new', 'paid']);
    expect((await table('sandbox_registrar_pushes').pluck('client_reference')).sort()).toEqual([
      'new',
      'open',
    ]);
    expect(await table('sandbox_registrar_effects').pluck('client_reference')).toEqual(['new']);
  });
});

describe('settlement run retention', () => {
  it('deletes runs and their partners a year after they finish and keeps open runs', async () => {
    const { partnerId } = await givenPartner(runtime);
    const now = runtime.clock.now();
    const run = { environment: 'SANDBOX', requested_by: 'test', created_at: now };
    const ended = { ...run, status: 'completed' };
    await table('settlement_runs').insert([
      { ...ended, id: 'run_old', finished_at: addMs(now, -366 * DAY) },
      { ...ended, id: 'run_new', finished_at: now },
      { ...run, id: 'run_open', status: 'running', created_at: addMs(now, -400 * DAY) },
    ]);
    await table('settlement_run_partners').insert(
      ['run_old', 'run_new'].map((id) => ({ run_id: id, partner_id: partnerId, state: 'done' })),
    );
    expect(await sweep('prune-settlement-runs')).toBe(1);
    expect((await table('settlement_runs').pluck('id')).sort()).toEqual(['run_new', 'run_open']);
    expect(await table('settlement_run_partners').pluck('run_id')).toEqual(['run_new']);
  });
});

describe('ledger check retention', () => {
  it('deletes checks after 90 days but always keeps the latest', async () => {
    await checkLedger(runtime);
    await checkLedger(runtime);
    runtime.clock.advance(91 * DAY);
    expect(await sweep('delete-expired')).toEqual({ ledger_checks: 1 });
    expect(await table('ledger_checks').pluck('ok')).toEqual([true]);
    await checkLedger(runtime);
    expect(await sweep('delete-expired')).toEqual({ ledger_checks: 1 });
    expect(await table('ledger_checks')).toHaveLength(1);
  });
});

describe('webhook replay and import retention', () => {
  it('deletes them 90 days after they finish and keeps open ones', async () => {
    const { partnerId } = await givenPartner(runtime);
    const now = runtime.clock.now();
    const stream = { partnerId, environment: 'SANDBOX' as const };
    const url = 'https://partner.example/webhooks';
    await registerEndpoint(runtime, stream, { url, secret: 'a-secret-of-some-length' });
    const endpoint_id = await table('webhook_endpoints')
      .first('id')
      .then((row) => row?.id);
    const ends = [addMs(now, -91 * DAY), addMs(now, -89 * DAY), null];
    for (const [place, finished_at] of ends.entries()) {
      const replay = { endpoint_id, partner_id: partnerId, environment: 'SANDBOX' };
      const window = { from_at: now, to_at: now, created_at: now, finished_at };
      const state = finished_at ? 'completed' : 'running';
      await table('webhook_replays').insert({ id: `rpl_${place}`, ...replay, ...window, state });
      await table('listing_imports').insert({
        environment: 'LIVE',
        actor: 'ops',
        file_name: `${place}.csv`,
        format: 'csv',
        content: finished_at ? null : 'domain',
        lines: 1,
        state,
        created_at: now,
        finished_at,
      });
    }
    expect(await sweep('delete-expired')).toEqual({ webhook_replays: 1, listing_imports: 1 });
    expect((await table('webhook_replays').pluck('id')).sort()).toEqual(['rpl_1', 'rpl_2']);
    const files = await table('listing_imports').pluck('file_name');
    expect(files.sort()).toEqual(['1.csv', '2.csv']);
  });
});

describe('deleting expired rows', () => {
  const longAgo = () => addMs(runtime.clock.now(), -100 * DAY);
  const givenImports = (count: number) =>
    table('listing_imports').insert(
      Array.from({ length: count }, () => ({
        environment: 'LIVE',
        actor: 'ops',
        file_name: 'old.csv',
        format: 'csv',
        lines: 1,
        state: 'completed',
        created_at: longAgo(),
        finished_at: longAgo(),
      })),
    );
  const givenKey = () =>
    table('job_keys').insert({ dedupe_key: 'old', job_id: 1, created_at: longAgo() });

  it('uses small batches for rows that cascade', async () => {
    await givenImports(50);
    const statements = await statementsOf(runtime, () => sweep('delete-expired'));
    const deletions = statements.filter(({ sql }) => sql.startsWith('delete from listing_imports'));
    expect(deletions).toHaveLength(3);
    expect(await table('listing_imports')).toEqual([]);
  });

  it('skips rows locked by another transaction until the next run', async () => {
    await givenKey();
    const other = await runtime.db.knex.transaction();
    await other('job_keys').forUpdate();
    expect(await sweep('delete-expired')).toEqual({});
    await other.commit();
    expect(await sweep('delete-expired')).toEqual({ job_keys: 1 });
  });

  it('cleans up the other tables when one fails, and reports the failure', async () => {
    await givenImports(1);
    await givenKey();
    await runtime.db.knex.raw(`create function refuse() returns trigger language plpgsql
      as $$ begin raise exception 'not this one'; end $$`);
    await runtime.db.knex.raw(
      'create trigger refuse before delete on job_keys for each row execute function refuse()',
    );
    await expect(sweep('delete-expired')).rejects.toThrow(/not this one/);
    expect(await table('listing_imports')).toEqual([]);
    expect(await table('job_keys')).toHaveLength(1);
  });
});
