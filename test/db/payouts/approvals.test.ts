import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Money } from '../../../shared/platform/money.ts';
import { approvePayout } from '../../../shared/settlement/payouts/approve-payout.ts';
import { createPayout } from '../../../shared/settlement/payouts/create-payouts.ts';
import {
  markPayoutFailed,
  markPayoutPaid,
} from '../../../shared/settlement/payouts/payout-outcome.ts';
import { givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const OVER = 100_000;
let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime({ PAYOUT_APPROVAL_OVER_CENTS: String(OVER) });
});
afterAll(() => runtime?.stop());

async function givenPayout(amountCents: number, environment: 'LIVE' | 'SANDBOX' = 'LIVE') {
  const { partnerId } = await givenPartner(runtime);
  const balance = { source: 'referral' as const, amount: new Money(amountCents, 'USD') };
  const { id } = await runtime.db.transact((uow) =>
    createPayout(uow, { partnerId, environment }, balance, { settlementId: null, now: uow.now }),
  );
  return id;
}
const approve = (id: string, actor: string) => approvePayout(runtime, actor, id);
const pay = (id: string, actor: string, reference = 'wire-1') =>
  markPayoutPaid(runtime, actor, { payoutId: id, reference });
const refused = { code: 'conflict', details: { reason: 'invalid_state' } };
const statusOf = async (id: string) =>
  (await runtime.db.knex('payouts').where({ id }).first()).status;
const payments = (id: string) =>
  runtime.db.knex('ledger_entries').where({ reference: id, kind: 'payout_payment' });
const outcomes = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.map(({ status }) => status).sort();

describe('a payout over the approval threshold', () => {
  it('must be paid by someone other than its approver', async () => {
    const id = await givenPayout(OVER + 1);
    await expect(pay(id, 'usr_a')).rejects.toMatchObject(refused);
    const approved = await approve(id, 'usr_a');
    expect(approved).toMatchObject({ approvedBy: 'usr_a', status: 'pending' });
    await expect(pay(id, 'usr_a')).rejects.toMatchObject(refused);
    expect([await statusOf(id), await payments(id)]).toEqual(['pending', []]);
    expect(await pay(id, 'usr_b')).toMatchObject({ status: 'paid', approvedBy: 'usr_a' });
    const trail = await runtime.db.knex('audit_log').where({ subject: id }).orderBy('id');
    expect(trail.map(({ actor, action }) => [actor, action])).toEqual([
      ['usr_a', 'payout:approve'],
      ['usr_b', 'payout:mark-paid'],
    ]);
    await expect(approve(id, 'usr_c')).rejects.toMatchObject(refused);
  });

  it('is never paid by one person, even with concurrent requests', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await givenPayout(OVER + 1);
      const sent = [approve(id, 'usr_a'), pay(id, 'usr_a'), approve(id, 'usr_a'), pay(id, 'usr_a')];
      await Promise.allSettled(sent);
      expect([await statusOf(id), await payments(id)]).toEqual(['pending', []]);
    }
  });

  it('gets one approval of two concurrent ones and is paid once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await givenPayout(OVER + 1);
      const both = await Promise.allSettled([approve(id, 'usr_a'), approve(id, 'usr_b')]);
      expect(outcomes(both)).toEqual(['fulfilled', 'rejected']);
      const paid = await Promise.allSettled([
        pay(id, 'usr_a', 'wire-a'),
        pay(id, 'usr_b', 'wire-b'),
        pay(id, 'usr_c', 'wire-c'),
        pay(id, 'usr_c', 'wire-c'),
      ]);
      expect(paid.some(({ status }) => status === 'fulfilled')).toBe(true);
      expect(await payments(id)).toHaveLength(1);
      const { approved_by, reference } = await runtime.db.knex('payouts').where({ id }).first();
      expect(reference).not.toBe(approved_by === 'usr_a' ? 'wire-a' : 'wire-b');
    }
  });

  it('cannot be approved or paid after it failed', async () => {
    const id = await givenPayout(OVER + 1);
    await approve(id, 'usr_a');
    await markPayoutFailed(runtime, 'usr_b', { payoutId: id, reference: null, reason: null });
    await expect(approve(id, 'usr_c')).rejects.toMatchObject(refused);
    await expect(pay(id, 'usr_b')).rejects.toMatchObject(refused);
  });
});

it('a payout up to the threshold, or in SANDBOX, needs only one person', async () => {
  for (const id of [await givenPayout(OVER), await givenPayout(OVER * 9, 'SANDBOX')]) {
    await expect(approve(id, 'usr_a')).rejects.toMatchObject(refused);
    expect(await pay(id, 'usr_a')).toMatchObject({ status: 'paid' });
  }
});

it('approving an unknown payout returns not_found', async () => {
  await expect(approve('pay_x', 'usr_a')).rejects.toMatchObject({ code: 'not_found' });
});
