import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { opsRoutes } from '../../../api/ops/ops-routes.ts';
import { makeOffer } from '../../../shared/sales/offers/offer-lifecycle.ts';
import { recordCancelPushResult } from '../../../shared/sales/refunds/pending-refund.ts';
import { beginPush } from '../../../shared/sales/transfers/registrar-push.ts';
import { startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { givenAccount } from '../../support/accounts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { newNames } from '../../support/bulk.ts';
import { givenClaimLink } from '../../support/claims.ts';
import {
  CONSOLE_ENV,
  type ConsoleMarket,
  givenConsoleMarket,
} from '../../support/console-market.ts';
import { givenListing, givenPartner } from '../../support/factories.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { givenPasskeyRow } from '../../support/second-factors.ts';
import { takeBack } from '../../support/take-back.ts';
import { givenSale } from '../../support/transfers.ts';

let app: TestApp;
let ops: OpsClient;
let market: ConsoleMarket;
beforeAll(async () => {
  app = await startTestApp(CONSOLE_ENV);
  market = await givenConsoleMarket(app.runtime, { url: 'http://127.0.0.1:40999/hook' });
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

/** Actions that need more of a past than the market has. */
const OUT_OF_REACH = new Set([
  'partner:approve-account',
  'legal-hold:lift',
  'domain:release',
  'order:check',
  'checkout:clear',
  'checkout:decline',
  'screening:release',
  'screening:confirm-release',
  'screening:decline',
  'payout:make-file',
  'payout:file-paid',
  'payout:approve',
  'payout:send',
  'payout:mark-failed',
  'repayment:mark-paid',
  'registry:mark-message-read',
  'renewal:retry',
  'renewal:refund',
]);

/** Actions with another name in the trail: that of the person's own change. */
const TRAIL_NAMES: Readonly<Record<string, string>> = {
  'user:reset-second-factor': 'user:second-factor-removed',
};

/** Returns the fields of each action, by its name; those for all actions are under the empty name. */
async function givenFields(): Promise<Record<string, Record<string, unknown>>> {
  const { runtime } = app;
  const { db } = runtime;
  const { partnerId, ownerId: user } = market;
  const { domain } = await givenListing(runtime);
  const { partnerId: other } = await givenPartner(runtime);
  await db.knex('partners').where({ id: other }).update({ live_approved_at: null });
  const { id: member, email } = await givenAccount(runtime, 'owner');
  const membership = { partner_id: partnerId, user_id: member, role: 'viewer' };
  await db.knex('partner_members').insert({ ...membership, created_at: runtime.clock.now() });
  const staff = await givenAccount(runtime, 'ops', 'support');
  await givenPasskeyRow(runtime, user);
  const bounced = { state: 'bounced', finished_at: runtime.clock.now() };
  await db.knex('mails').where({ id: market.mailId }).update(bounced);
  const offer = async () => {
    const { domain: wanted } = await givenListing(runtime, { offersAccepted: true });
    const buyer = { email: 'buyer@example.com', name: null, country: null };
    const caller = { partnerId, environment: 'SANDBOX', keyId: market.keyId } as const;
    const made = { domain: wanted, amountCents: 300_000, buyer };
    return (await makeOffer(runtime, caller, made)).id;
  };
  const pushing = async () => {
    const { order } = await givenSale(runtime);
    await db.transact((uow) => startTransfer(uow, order.id));
    await beginPush(runtime, { orderId: order.id, attempt: 1 });
    return order;
  };
  const undecided = async () => {
    const order = await pushing();
    await takeBack(runtime, order.id);
    await db.transact((uow) => recordCancelPushResult(uow, order.id, 'unanswered'));
    return order.id;
  };
  const claimable = await pushing();
  await givenClaimLink(runtime, claimable.id);
  const [job] = await db.knex('outbox').where({ name: 'push-transfer' }).limit(1).pluck('id');
  await db.knex('outbox').where({ id: job }).update({ state: 'dead' });
  const held = async () => (await givenSale(runtime, { domain: `hold-${newNames(1)}` })).order.id;
  return {
    '': {
      ...{ partner: partnerId, user, key_id: market.keyId, environment: 'SANDBOX', domain },
      ...{ case: market.caseId, endpoint: market.secondEndpointId, replay: market.replayId },
      ...{ delivery: market.deliveryId, mail: market.mailId, id: market.payoutId },
      ...{ reference: 'wire 1', reason: 'other', email, password: 'a long enough password' },
      ...{ country: 'DE', topic: 'all' },
    },
    'partner:create': { name: 'Example Registrar' },
    'partner:suspend': { partner: other },
    'partner:resume': { partner: other },
    'partner:approve': { partner: other },
    'partner:affiliate': { partner: other },
    'partner:set-connected-account': { account: 'acct_1' },
    'partner:set-tax-profile': { legal_name: 'Example GmbH' },
    'partner:set-payout-account': { holder: 'Example GmbH', iban: 'DE89370400440532013000' },
    'partner:delivery': { method: 'partner_registrar' },
    'partner:brand': { display_name: 'Northwind' },
    'credential:create': { scopes: ['search'] },
    'credential:change': { scopes: ['search'], name: 'till' },
    'member:invite': { email: 'invited@example.com', role: 'viewer' },
    'member:remove': { user: member },
    'staff:invite': { email: 'staff@example.com', role: 'support' },
    'staff:set-role': { user: staff.id, role: 'finance' },
    'user:create': { email: 'created@example.com', role: 'owner' },
    'listing:add': { domain: 'newly-listed.com', price_cents: 1_000 },
    'listing:price': { price_cents: 2_000 },
    'listing:relist': { domain: 'silverpine.io', returned: true },
    'listing:offer-floor': { floor_cents: 1_000 },
    'domain:grant': { domain: ['newly-owned.com'] },
    'domain:auth-code': { auth_code: 'a-code-of-theirs' },
    'queue:retry': { job },
    'legal-hold:place': { domain: 'newly-held.com', kind: 'court_order', case_reference: 'C-1' },
    'order:clear': { order: await held() },
    'order:cancel': { order: await held() },
    'order:start-transfer': { order: market.toPush },
    'order:retry-transfer': { order: market.failed },
    'order:confirm-delivery': { order: market.stuck },
    'order:check-code': { order: claimable.id, auth_code: 'a-code-of-theirs' },
    'order:reopen-claim': { order: claimable.id },
    'order:refund': { order: market.stuck },
    'refund:approve': { order: await undecided() },
    'refund:decline': { order: await undecided() },
    'brokerage:move': { to: 'AGREED', offer_cents: 100_000 },
    'settlement:run': { period: '2026-01' },
    'settlement:mark-paid': { id: market.settlementId },
    'settlement:reverse-payment': { id: market.settlementId, reference: 'wire 2' },
    'payout:reverse': { reference: 'wire 3' },
    'offer:accept': { offer: await offer() },
    'offer:counter': { offer: await offer(), amount_cents: 310_000 },
    'offer:decline': { offer: await offer() },
    'webhook:replay': { from: '2026-01-01', to: '2026-01-02' },
    'contact:add': { staff: true, partner: undefined },
    'contact:remove': { staff: true, partner: undefined },
  };
}

it('every change that staff make over the operations API is in the audit trail, by name', async () => {
  const given = await givenFields();
  const { knex } = app.runtime.db;
  const { id: actor } = await knex('users').where({ email: ops.email }).first('id');
  const trail = () => knex('audit_log').where({ actor }).orderBy('id').select('action', 'subject');
  const isLast = ({ action }: { action: { name: string } }) => action.name === 'listing:relist';
  // A domain is listed again after its order was refunded.
  const changes = opsRoutes
    .filter(({ method, action }) => method === 'POST' && !OUT_OF_REACH.has(action.name))
    .toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)));
  for (const { path, action } of changes) {
    const values: Record<string, unknown> = { ...given[''], ...given[action.name] };
    const to = path.replace(/:(\w+)/g, (_all, name) => encodeURIComponent(String(values[name])));
    const asked = Object.keys(action.input.properties).filter((name) => !path.includes(`:${name}`));
    const body = Object.fromEntries(asked.map((name) => [name, values[name]]));
    const before = await trail();
    const { status, text } = await ops.post(to, body);
    expect([action.name, status < 300 || text]).toEqual([action.name, true]);
    const [entry] = (await trail()).slice(before.length);
    const known = TRAIL_NAMES[action.name] ?? action.name;
    expect([action.name, entry?.action]).toEqual([action.name, known]);
    expect(entry.subject).toMatch(/./);
  }
});
