import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AlreadyFinished } from '../../../shared/messaging/jobs/job.ts';
import { readMail } from '../../../shared/messaging/mail/mail-settings.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { sendStaffDigest } from '../../../shared/people/notices/send-notices.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { carryOutRenewal } from '../../../shared/sales/renewals/carry-out-renewal.ts';
import { refundRenewal } from '../../../shared/sales/renewals/undone-renewals.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOwnerOf, type Owner, ownedNow } from '../../support/bulk.ts';
import { type ConsoleVisitor, givenVisitor, readable } from '../../support/console.ts';
import { eventually } from '../../support/eventually.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { CARDS, card } from '../../support/payments.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import {
  changesOf,
  givenPrices,
  givenRenewal,
  payForRenewal,
  paymentStatuses,
  renewalNow,
  untilRenewalIs,
} from '../../support/renewals.ts';

let app: TestApp;
let visitor: ConsoleVisitor;
let ops: OpsClient;

beforeAll(async () => {
  app = await startTestApp({ ...PROMPT, MAIL: 'on', outboxPollMs: 20 });
  await givenPrices(app.runtime);
  visitor = await givenVisitor(app);
  ops = await givenOps(app);
});
afterAll(async () => {
  expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  await app.stop();
});

const NO_ANSWER = 'The registry does not answer.';

/** A paid renewal whose job has this state; null removes the job. */
async function givenUndone(state: 'pending' | 'dispatched' | 'dead' | null) {
  const owner = await givenOwnerOf(app.runtime, 1);
  const renewal = await givenRenewal(app.runtime, owner);
  await payForRenewal(app.runtime, renewal, card(CARDS.succeeds));
  const { knex } = app.runtime.db;
  const key = `renew-domain:${renewal.id}`;
  const job = await knex('outbox').where({ dedupe_key: key }).first('id');
  await knex('outbox')
    .where({ id: job.id })
    .update({ state: state ?? 'done', last_error: NO_ANSWER, attempts: 11 });
  if (state === null) await knex('job_keys').where({ dedupe_key: key }).delete();
  return { owner, renewal, domain: renewal.domain };
}

const endOf = async (owner: Owner) => (await ownedNow(app.runtime, owner))[0]?.expiresAt;
const listed = async (id: string) =>
  (await ops.get('/renewals')).body.renewals.find((each: { id: string }) => each.id === id);

async function work<T>(until: () => Promise<T>): Promise<T> {
  const fleet = startWorkers(app.runtime, { queues: ['transfers', 'payments'] });
  try {
    return await until();
  } finally {
    await fleet.stop();
  }
}

it('staff see unfinished paid renewals with the reason, and are reminded after a day', async () => {
  const { renewal, domain } = await givenUndone('dead');
  expect(await listed(renewal.id)).toMatchObject({
    domain,
    state: 'given_up',
    reason: NO_ANSWER,
    attempts: 11,
  });
  const page = readable((await visitor.visit('/renewals')).text);
  expect(page).toContain(domain);
  expect(page).toContain(`Given up ${NO_ANSWER}`);
  const { db, clock } = app.runtime;
  const ago = addMs(clock.now(), -2 * DAY);
  await db.knex('renewals').where({ id: renewal.id }).update({ updated_at: ago });
  expect((await app.runtime.figures.work(0)).LIVE.renewalsToFinish).toBe(1);
  const staff = { partner_id: null, email: 'staff@market.example', created_at: ago };
  await db.knex('mail_contacts').insert(staff);
  await sendStaffDigest(app.runtime);
  const mail = await db.knex('mails').where({ kind: 'staff-digest' }).first('data');
  expect(mail?.data.waiting).toContainEqual({ what: 'Paid renewals to finish', count: 1 });
});

describe('retrying a paid renewal', () => {
  it.each(['dead', null] as const)(
    'renews the domain once and is audited (job: %s)',
    async (state) => {
      const { renewal, domain } = await givenUndone(state);
      const done = await visitor.act('renewal-retry', { renewal: renewal.id });
      expect(readable((await visitor.follow(done)).text)).toContain(`asked to renew ${domain}`);
      expect(await listed(renewal.id)).toMatchObject({ state: 'trying' });
      await work(() => untilRenewalIs(app.runtime, renewal, 'completed'));
      expect(await changesOf(app.runtime, domain)).toHaveLength(1);
      expect(await listed(renewal.id)).toBeUndefined();
      const { knex } = app.runtime.db;
      expect(
        await knex('audit_log').where({ subject: renewal.id }).select('actor', 'action'),
      ).toEqual([{ actor: visitor.userId, action: 'renewal:retry' }]);
    },
  );

  it('is rejected while the registry is being asked', async () => {
    const { renewal } = await givenUndone('pending');
    expect((await ops.post(`/renewals/${renewal.id}/retry`)).status).toBe(409);
  });
});

describe('refunding a paid renewal', () => {
  it('refunds the payment, tells the owner why, and cancels the renewal', async () => {
    const { owner, renewal, domain } = await givenUndone('dead');
    const end = await endOf(owner);
    const reason = 'Its registry has not answered for a day.';
    const done = await visitor.act('renewal-refund', { renewal: renewal.id }, { reason });
    expect(readable((await visitor.follow(done)).text)).toContain('is being refunded');
    await work(() =>
      eventually(
        () => paymentStatuses(app.runtime, renewal),
        ([status]) => status === 'refunded',
      ),
    );
    const { knex } = app.runtime.db;
    expect(await renewalNow(app.runtime, renewal)).toMatchObject({
      status: 'refunded',
      refusal: reason,
    });
    expect(await endOf(owner)).toEqual(end);
    expect(await changesOf(app.runtime, domain)).toEqual([]);
    expect(await knex('outbox').where({ dedupe_key: `renew-domain:${renewal.id}` })).toMatchObject([
      { state: 'done' },
    ]);
    const mail = await knex('mails').where({ kind: 'renewal-refunded' }).orderBy('id').first('id');
    expect((await readMail(app.runtime, mail.id)).data).toMatchObject({
      why: 'given_up',
      refusal: reason,
    });
    expect(
      await knex('audit_log').where({ subject: renewal.id }).select('actor', 'action', 'after'),
    ).toEqual([
      { actor: visitor.userId, action: 'renewal:refund', after: { status: 'refunded', reason } },
    ]);
    expect((await ops.post(`/renewals/${renewal.id}/refund`, { reason })).status).toBe(404);
  });

  it('requires a reason', async () => {
    const { renewal } = await givenUndone('dead');
    expect((await ops.post(`/renewals/${renewal.id}/refund`, {})).status).toBe(400);
  });

  it('is rejected if the registry did renew, although its response was lost', async () => {
    const { renewal, domain } = await givenUndone('dead');
    const { domain: name, fees: _fees, years } = renewal;
    const change = { kind: 'renew', years } as const;
    await app.runtime
      .registrars('LIVE')
      .change({ clientReference: renewal.id, domain: name, change });
    const answer = await ops.post(`/renewals/${renewal.id}/refund`, { reason: 'No answer.' });
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('it was renewed') } },
    });
    expect((await ops.post(`/renewals/${renewal.id}/retry`)).status).toBe(202);
    await work(() => untilRenewalIs(app.runtime, renewal, 'completed'));
    expect(await changesOf(app.runtime, domain)).toHaveLength(1);
  });

  it.each([
    { grace: undefined, refunds: false },
    { grace: 'pending_restore', refunds: false },
    { grace: 'redemption', refunds: true },
    { grace: 'pending_delete', refunds: true },
  ] as const)('refunds a restore only if the domain was not restored (%o)', async (at) => {
    const { renewal } = await givenUndone('dead');
    await app.runtime.db.knex('renewals').where({ id: renewal.id }).update({ kind: 'restore' });
    const registrar = app.runtime.registrars('LIVE');
    const inspect = async (domains: readonly string[]) =>
      (await registrar.inspect(domains)).map((facts) =>
        at.grace ? { ...facts, grace: at.grace } : facts,
      );
    const deps = { ...app.runtime, registrars: () => ({ ...registrar, inspect }) };
    const wish = { renewalId: renewal.id, reason: 'No answer.', unchecked: false };
    const asked = refundRenewal(deps, 'cli:test', wish);
    if (at.refunds) await asked;
    else
      await expect(asked).rejects.toMatchObject({ message: expect.stringContaining('restored') });
    const status = at.refunds ? 'refunded' : 'paid';
    expect(await renewalNow(app.runtime, renewal)).toMatchObject({ status });
  });

  it('is rejected while the job runs', async () => {
    const { renewal } = await givenUndone('dispatched');
    const answer = await ops.post(`/renewals/${renewal.id}/refund`, { reason: 'No answer.' });
    expect(answer.status).toBe(409);
    expect(await renewalNow(app.runtime, renewal)).toMatchObject({ status: 'paid' });
  });

  it('requires confirmation by staff if the registry does not respond', async () => {
    const { renewal } = await givenUndone('dead');
    const inspect = () => Promise.reject(new Error('no connection'));
    const away = {
      ...app.runtime,
      registrars: () => ({ ...app.runtime.registrars('LIVE'), inspect }),
    };
    const wish = { renewalId: renewal.id, reason: 'No answer.' };
    const asked = refundRenewal(away, 'cli:test', { ...wish, unchecked: false });
    await expect(asked).rejects.toMatchObject({ code: 'service_unavailable' });
    await refundRenewal(away, 'cli:test', { ...wish, unchecked: true });
    expect(await renewalNow(app.runtime, renewal)).toMatchObject({ status: 'refunded' });
    // A job that starts anyway finds the renewal refunded and asks the registry for nothing.
    const { signal } = new AbortController();
    const run = carryOutRenewal(app.runtime, renewal.id, { outboxId: 0, epoch: 0 }, signal);
    await expect(run).rejects.toThrow(AlreadyFinished);
    expect(await changesOf(app.runtime, renewal.domain)).toEqual([]);
  });
});
