import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeForPartner } from '../../../shared/settlements/close-period.ts';
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
  await closeForPartner(app.runtime, { ...owner, until: app.runtime.clock.now() });
  const { body } = await owner.client.get('/v1/payouts', { expect: 200 });
  return { partner: owner, id: body.payouts[0].id };
}
const command = (...args: string[]) => runOps(app.runtime, [...args, '--json']);

describe('payouts, by command and over HTTP', () => {
  it('wait in a list until they are paid, and the partner sees the reference', async () => {
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
    const seen = await partner.client.get('/v1/payouts', { expect: 200 });
    expect(seen.body.payouts).toMatchObject([{ id, status: 'paid', reference: 'wire 1' }]);
    const waiting = await ops.get(`/payouts?partner=${partner.partnerId}`);
    expect(waiting.body).toEqual({ payouts: [] });
  });

  it('that failed are told with their reason, and cannot be paid any more', async () => {
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

  it('can fail without a reference, by command', async () => {
    const { id } = await givenPayout();
    const failed = await command('payout:mark-failed', '--id', id);
    expect(failed).toMatchObject({ code: 0, json: { status: 'failed', reference: null } });
  });

  it('are refused by name, without a reference, and to strangers', async () => {
    const { id, partner } = await givenPayout();
    expect((await ops.post('/payouts/pay_nobody/mark-paid', { reference: 'x' })).status).toBe(404);
    expect((await ops.post(`/payouts/${id}/mark-paid`, {})).status).toBe(400);
    expect((await ops.post(`/payouts/${id}/mark-paid`, { reference: ' ' })).status).toBe(400);
    const unsigned = await fetch(`${app.url}/ops/api/payouts`);
    expect(unsigned.status).toBe(401);
    const { body } = await partner.client.get('/v1/payouts', { expect: 200 });
    expect(body.payouts).toMatchObject([{ status: 'pending' }]);
  });
});
