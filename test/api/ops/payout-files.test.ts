import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DOMParser } from '@xmldom/xmldom';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { suspendPartner } from '../../../shared/people/partners/partner-lifecycle.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { approvePayout } from '../../../shared/settlement/payouts/approve-payout.ts';
import { makePayoutFile } from '../../../shared/settlement/payouts/payout-files.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenVisitor } from '../../support/console.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { runOps } from '../../support/ops-command.ts';
import { givenOrder } from '../../support/orders.ts';
import {
  deliver,
  givenAffiliate,
  givenLink,
  givenReferredOrder,
  historyOf,
} from '../../support/referrals.ts';
import { takeBack } from '../../support/take-back.ts';

/** Examples from the SWIFT registry of IBANs. */
const OURS = 'DE89370400440532013000';
const THEIRS = 'FR1420041010050500013M02606';

let app: TestApp;
let ops: OpsClient;
beforeAll(async () => {
  app = await startTestApp({
    PAYOUT_IBAN: OURS,
    PAYOUT_BIC: 'COBADEFFXXX',
    SELLER_NAME: 'Example Market GmbH',
    PAYOUT_APPROVAL_OVER_CENTS: '100000',
  });
  ops = await givenOps(app);
});
afterAll(() => app?.stop());
// Each test sees only the pending payouts that it created.
beforeEach(() =>
  app.runtime.db
    .knex('payouts')
    .where({ status: 'pending' })
    .update({ status: 'failed', failed_at: app.runtime.clock.now() }),
);

const account = { holder: 'Harbor Names SARL', iban: 'FR14 2004 1010 0505 0001 3M02 606' };

/** A partner with a pending LIVE payout of 15 % of `priceCents`. */
async function givenPayout({ priceCents = 10_000, hasAccount = true, currency = 'EUR' } = {}) {
  const partner = await app.partner({ environment: 'LIVE' });
  const { partnerId } = partner;
  if (hasAccount) await ops.post(`/partners/${partnerId}/payout-account`, account);
  const owner = { partnerId, environment: 'LIVE' as const };
  await givenOrder(app.runtime, owner, {
    priceCents,
    currency,
    paymentModel: 'hosted_checkout',
    deliveredAt: addMs(app.runtime.clock.now(), -60 * DAY),
  });
  await closePartnerPeriods(app.runtime, { ...owner, until: app.runtime.clock.now() });
  const payout = await app.runtime.db.knex('payouts').where({ partner_id: partnerId }).first();
  return { partnerId, id: payout.id as string };
}

const make = (currency = 'EUR') => ops.post('/payout-files', { currency });
const statusOf = async (id: string) =>
  (await app.runtime.db.knex('payouts').where({ id }).first('status')).status;

describe('a payout bank file', () => {
  it('contains each payout once, and its payouts are marked as paid together', async () => {
    const one = await givenPayout();
    const other = await givenPayout({ priceCents: 20_007 });
    const dollars = await givenPayout({ currency: 'USD' });
    const { status, body } = await make();
    expect(status).toBe(201);
    expect(body).toMatchObject({ payouts: 2, amount_cents: 4_501, currency: 'EUR' });
    expect((await make()).body.error.details.reason).toBe('invalid_state');

    const { content, name } = (await ops.get(`/payout-files/${body.id}`)).body;
    expect(name).toBe(`${body.id}.xml`);
    const document = new DOMParser().parseFromString(content, 'text/xml');
    const texts = (tag: string) =>
      [...document.getElementsByTagName(tag)].map(({ textContent }) => textContent?.trim());
    expect(texts('NbOfTxs')).toEqual(['2', '2']);
    expect(texts('CtrlSum')).toEqual(['45.01', '45.01']);
    expect(texts('InstdAmt')).toEqual(['15.00', '30.01']);
    expect(texts('IBAN')).toEqual([OURS, THEIRS, THEIRS]);
    expect(texts('MsgId')).toEqual([body.id.replace('_', '-')]);
    expect(texts('EndToEndId')).toEqual([one.id, other.id].map((id) => id.replace('_', '-')));
    expect(texts('Nm')).toEqual(
      expect.arrayContaining(['Example Market GmbH', 'Harbor Names SARL']),
    );
    expect((await ops.get(`/payout-files/${body.id}`)).body.content).toBe(content);

    const paid = await ops.post(`/payout-files/${body.id}/paid`, { reference: 'order 17' });
    expect(paid.body).toEqual({ paid: 2 });
    expect(await Promise.all([one.id, other.id, dollars.id].map(statusOf))).toEqual([
      'paid',
      'paid',
      'pending',
    ]);
    const again = await ops.post(`/payout-files/${body.id}/paid`, { reference: 'order 17' });
    expect(again.body).toEqual({ paid: 0 });
    const otherwise = await ops.post(`/payout-files/${body.id}/paid`, { reference: 'order 18' });
    expect(otherwise.body).toEqual({
      paid: 0,
      others: [one.id, other.id].map((id) => ({ id, status: 'paid', reference: 'order 17' })),
    });
    const { files } = (await ops.get('/payout-files')).body;
    expect(files[0]).toMatchObject({ id: body.id, payouts: 2, pending: 0 });
  });

  it('pays referral commissions beside sales, each under its own reference, less what was clawed back', async () => {
    const { runtime } = app;
    const sales = await givenPayout();
    const affiliate = await givenAffiliate(runtime, { environment: 'LIVE' });
    await ops.post(`/partners/${affiliate.partnerId}/payout-account`, account);
    const { code } = await givenLink(runtime, affiliate);
    const seller = await app.partner({ environment: 'LIVE' });
    const settle = async (owner: { partnerId: string }) => {
      const until = runtime.clock.now();
      await closePartnerPeriods(runtime, { ...owner, environment: 'LIVE', until });
    };
    const refer = async (priceCents: number) => {
      const order = await givenReferredOrder(runtime, seller, code, {
        priceCents,
        currency: 'EUR',
      });
      await deliver(runtime, order.id);
      const deliveredAt = addMs(runtime.clock.now(), -60 * DAY);
      const row = runtime.db.knex('orders').where({ id: order.id });
      await row.update({ transfer_completed_at: deliveredAt });
      await settle(seller);
      return order;
    };
    await refer(100_010);
    const takenBack = await refer(40_000);
    await takeBack(runtime, takenBack.id);
    await settle(affiliate);
    const [commission, ...more] = await runtime.db
      .knex('payouts')
      .where({ partner_id: affiliate.partnerId });
    expect(more).toEqual([]);
    // 5 % of 1,000.10, rounded half up; the sale that was taken back earns nothing.
    expect(commission).toMatchObject({ source: 'referral', amount_cents: 5_001, currency: 'EUR' });

    const { body } = await make();
    const { content } = (await ops.get(`/payout-files/${body.id}`)).body;
    const document = new DOMParser().parseFromString(content, 'text/xml');
    const texts = (tag: string) =>
      [...document.getElementsByTagName(tag)].map(({ textContent }) => textContent?.trim());
    const rows: { id: string; amount_cents: number }[] = await runtime.db
      .knex('payouts')
      .where({ file_id: body.id })
      .orderBy('id');
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([sales.id, commission.id]));
    const sum = rows.reduce((total, row) => total + row.amount_cents, 0);
    expect(body).toMatchObject({ payouts: rows.length, amount_cents: sum });
    expect(texts('CtrlSum')).toEqual(Array(2).fill((sum / 100).toFixed(2)));
    const amounts = texts('InstdAmt');
    const paid = texts('EndToEndId').map((reference, at) => [reference, amounts[at]]);
    expect(paid.sort()).toEqual(
      rows
        .map(({ id, amount_cents }) => [id.replace('_', '-'), (amount_cents / 100).toFixed(2)])
        .sort(),
    );
    expect(texts('IBAN')).toEqual([OURS, ...Array(rows.length).fill(THEIRS)]);
    await ops.post(`/payout-files/${body.id}/paid`, { reference: 'order 21' });
    expect((await historyOf(runtime, affiliate)).at(-1)).toEqual(['paid_out', -5_001, 0]);
    const ours = [
      sales.partnerId,
      seller.partnerId,
      affiliate.partnerId,
      ...rows.map(({ id }) => id),
    ];
    const { imbalances } = await checkLedger(runtime);
    const subjects = imbalances.map(({ subject }) => subject);
    expect(subjects.filter((each) => ours.some((id) => each.includes(id)))).toEqual([]);
  });

  it.each([
    ['HUF', 600_000, '900.00'],
    ['JPY', 100_000, '15000'],
    ['KWD', 100_000, '15.000'],
  ])('uses the decimals of ISO 4217 in %s', async (currency, priceCents, paid) => {
    await givenPayout({ priceCents, currency });
    const { content } = (await ops.get(`/payout-files/${(await make(currency)).body.id}`)).body;
    expect(content).toContain(`<InstdAmt Ccy="${currency}">${paid}</InstdAmt>`);
  });

  it('can be downloaded in the console by finance but not support, which is audited', async () => {
    await givenPayout();
    const { id } = (await make()).body;
    const finance = await givenVisitor(app, 'finance');
    const page = await finance.visit('/payouts/files');
    expect(page.text).toContain(`href="/ops/payouts/files/${id}"`);
    const file = await finance.visit(`/payouts/files/${id}`);
    expect(file.headers.get('Content-Disposition')).toBe(`attachment; filename="${id}.xml"`);
    expect(file.text).toContain(THEIRS);
    const support = await givenVisitor(app, 'support');
    expect((await support.visit('/payouts/files')).text).not.toContain(
      'href="/ops/payouts/files/pof',
    );
    expect((await support.visit(`/payouts/files/${id}`)).status).toBe(403);
    const trail = await app.runtime.db.knex('audit_log').where({ subject: id }).pluck('action');
    expect(trail).toEqual(['payout:make-file', 'payout:download-file']);
  });

  it('excludes partners without an account or suspended, and large payouts without approval', async () => {
    const without = await givenPayout({ hasAccount: false });
    const suspended = await givenPayout();
    await suspendPartner(app.runtime, 'test', suspended.partnerId);
    const large = await givenPayout({ priceCents: 1_000_000 });
    expect((await make()).status).toBe(409);
    await approvePayout(app.runtime, 'first@example.com', large.id);
    await expect(makePayoutFile(app.runtime, 'first@example.com', 'EUR')).rejects.toMatchObject({
      code: 'conflict',
    });
    const { id } = await makePayoutFile(app.runtime, 'second@example.com', 'EUR');
    const files = await app.runtime.db
      .knex('payouts')
      .whereIn('id', [without.id, suspended.id, large.id])
      .orderBy('created_at')
      .pluck('file_id');
    expect(files).toEqual([null, null, id]);
  });

  it('includes a payout only once, even when files are made at the same time', async () => {
    await givenPayout();
    const made = await Promise.all([make(), make(), make()]);
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });

  it('can be marked as paid even if the partner was suspended after it was made', async () => {
    const { id, partnerId } = await givenPayout();
    const { body } = await make();
    await suspendPartner(app.runtime, 'test', partnerId);
    await ops.post(`/payout-files/${body.id}/paid`, { reference: 'order 18' });
    expect(await statusOf(id)).toBe('paid');
  });

  it('is encrypted, as are bank accounts, and can be read after a key rotation', async () => {
    const { partnerId } = await givenPayout();
    const { body } = await make();
    const { content } = (await ops.get(`/payout-files/${body.id}`)).body;
    const rows = async () => [
      (await app.runtime.db.knex('payout_files').where({ id: body.id }).first()).content,
      (await app.runtime.db.knex('payout_accounts').where({ partner_id: partnerId }).first()).iban,
    ];
    for (const sealed of await rows()) expect(sealed.toString('latin1')).not.toContain(THEIRS);
    const before = await rows();
    const env = {
      SECRETS_KEY: randomBytes(32).toString('base64'),
      SECRETS_KEY_PREVIOUS: app.runtime.config.secretsKey.toString('base64'),
    };
    const done = await runOps(app.runtime, ['secrets:reencrypt', '--json'], env);
    expect(done.json).toMatchObject({ unreadable: 0 });
    expect(await rows()).not.toEqual(before);
    const opened = await runOps(
      app.runtime,
      ['payout:download-file', '--id', body.id, '--json'],
      env,
    );
    expect(opened.json.content).toBe(content);
  });

  it.each([
    [{ holder: 'Гавань' }, '/holder'],
    [{ holder: ' ' }, '/holder'],
    [{ iban: 'FR1420041010050500013M02607' }, '/iban'],
    [{ bic: 'NOBIC' }, '/bic'],
  ])('requires valid bank accounts: not %j', async (wrong, path) => {
    const { partnerId } = await app.partner();
    const { status, body } = await ops.post(`/partners/${partnerId}/payout-account`, {
      ...account,
      ...wrong,
    });
    expect(status).toBe(400);
    expect(body.error.details).toMatchObject([{ path }]);
  });
});
