import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { runOps } from '../../support/ops-command.ts';
import { givenOrder } from '../../support/orders.ts';

let app: TestApp;
let ops: OpsClient;
beforeAll(async () => {
  app = await startTestApp();
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

type Partner = Awaited<ReturnType<TestApp['partner']>>;

/** A partner with a pending payout of 1,500 cents. */
async function givenPayout(partner?: Partner): Promise<{ partner: Partner; id: string }> {
  const owner = partner ?? (await app.partner());
  await givenOrder(app.runtime, owner, { priceCents: 10_000, paymentModel: 'hosted_checkout' });
  await closePartnerPeriods(app.runtime, { ...owner, until: app.runtime.clock.now() });
  const { body } = await owner.client.get('/v1/payouts').expect(200);
  return { partner: owner, id: body.payouts[0].id };
}
const command = (...args: string[]) => runOps(app.runtime, [...args, '--json']);

describe('payouts in the ops commands and API', () => {
  it('are listed until they are paid, and the partner sees the reference', async () => {
    const { partner, id } = await givenPayout();
    const listed = await command('payout:list', '--partner', partner.partnerId);
    expect(listed.json).toEqual({
      payouts: [
        expect.objectContaining({
          id,
          partner_id: partner.partnerId,
          environment: 'SANDBOX',
          amount_cents: 1_500,
          status: 'pending',
        }),
      ],
    });
    const paid = await command('payout:mark-paid', '--id', id, '--reference', 'wire 1');
    expect(paid).toMatchObject({ code: 0, json: { id, status: 'paid', reference: 'wire 1' } });
    expect((await ops.post(`/payouts/${id}/mark-paid`, { reference: 'wire 1' })).body).toEqual(
      paid.json,
    );
    const seen = await partner.client.get('/v1/payouts').expect(200);
    expect(seen.body.payouts).toMatchObject([{ id, status: 'paid', reference: 'wire 1' }]);
    const waiting = await ops.get(`/payouts?partner=${partner.partnerId}`);
    expect(waiting.body).toEqual({ payouts: [] });
  });

  it('are listed with the reason when they fail, and can no longer be paid', async () => {
    const { partner, id } = await givenPayout();
    const failed = await ops.post(`/payouts/${id}/mark-failed`, {
      reference: 'wire-2',
      reason: 'account closed',
    });
    expect(failed.body).toMatchObject({ status: 'failed', failure_reason: 'account closed' });
    const refused = await command('payout:mark-paid', '--id', id, '--reference', 'wire-2');
    expect([refused.code, refused.error.code]).toEqual([1, 'conflict']);
    const listed = await ops.get(`/payouts?status=failed&partner=${partner.partnerId}`);
    expect(listed.body.payouts).toMatchObject([{ id, failed_at: expect.any(String) }]);
    const trail = await app.runtime.db.knex('audit_log').where({ subject: id });
    expect(trail).toMatchObject([
      { action: 'payout:mark-failed', before: { status: 'pending' }, after: { status: 'failed' } },
    ]);
  });

  it('can be marked as failed without a reference', async () => {
    const { id } = await givenPayout();
    const failed = await command('payout:mark-failed', '--id', id);
    expect(failed).toMatchObject({ code: 0, json: { status: 'failed', reference: null } });
  });

  it('can be reversed after they were paid, and the amount is paid out again', async () => {
    const { partner, id } = await givenPayout();
    const pending = await command('payout:reverse', '--id', id, '--reference', 'return-3');
    expect([pending.code, pending.error.code]).toEqual([1, 'conflict']);
    await command('payout:mark-paid', '--id', id, '--reference', 'wire-3');
    const reversed = await command(
      ...['payout:reverse', '--id', id, '--reference', 'return-3', '--reason', 'account closed'],
    );
    expect(reversed).toMatchObject({
      code: 0,
      json: { id, status: 'failed', reference: 'wire-3', reversal_reference: 'return-3' },
    });
    const again = await ops.post(`/payouts/${id}/reverse`, { reference: 'return-3' });
    expect(again.body).toEqual(reversed.json);
    const seen = await partner.client.get('/v1/payouts').expect(200);
    expect(seen.body.payouts).toMatchObject([{ id, status: 'failed', paid_at: null }]);
    await closePartnerPeriods(app.runtime, { ...partner, until: app.runtime.clock.now() });
    const later = await partner.client.get('/v1/payouts', { query: { status: 'pending' } });
    expect(later.body.payouts).toMatchObject([{ amount_cents: 1_500 }]);
    expect((await command('ledger:check')).json).toMatchObject({ ok: true });
  });

  it('are held while the partner is suspended and released when it is resumed', async () => {
    const { partner, id } = await givenPayout();
    const of = ['--partner', partner.partnerId];
    await command('partner:suspend', ...of);
    expect((await command('payout:list', ...of)).json).toEqual({ payouts: [] });
    expect((await command('payout:list', '--status', 'held', ...of)).json).toEqual({
      payouts: [expect.objectContaining({ id, status: 'pending', held: true })],
    });
    const refused = await ops.post(`/payouts/${id}/mark-paid`, { reference: 'wire-4' });
    expect(refused.status).toBe(409);
    expect(refused.body.error.details).toEqual({ reason: 'partner_suspended' });
    await command('partner:resume', ...of);
    expect((await command('payout:list', ...of)).json).toMatchObject({
      payouts: [{ held: false }],
    });
    const paid = await ops.post(`/payouts/${id}/mark-paid`, { reference: 'wire-4' });
    expect(paid.body).toMatchObject({ status: 'paid' });
  });

  it('cannot be marked as paid with an unknown id, without a reference, or without signing in', async () => {
    const { id, partner } = await givenPayout();
    expect((await ops.post('/payouts/pay_nobody/mark-paid', { reference: 'x' })).status).toBe(404);
    expect((await ops.post(`/payouts/${id}/mark-paid`, {})).status).toBe(400);
    expect((await ops.post(`/payouts/${id}/mark-paid`, { reference: ' ' })).status).toBe(400);
    const unsigned = await fetch(`${app.url}/ops/api/payouts`);
    expect(unsigned.status).toBe(401);
    const { body } = await partner.client.get('/v1/payouts').expect(200);
    expect(body.payouts).toMatchObject([{ status: 'pending' }]);
  });
});
