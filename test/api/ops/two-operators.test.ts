import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { runOps } from '../../support/ops-command.ts';
import { givenRecordedOrder } from '../../support/sales.ts';

let app: TestApp;
let ops: OpsClient;

beforeAll(async () => {
  app = await startTestApp({ TRANSFER_POLICY_SANDBOX: 'manual', REVIEW_PRICE_CENTS: '900000' });
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

const ROUNDS = [1, 2, 3, 4];

/** One operator acts by HTTP, as the console does, another by command, at the same moment. Returns each's error code. */
async function bothAtOnce(path: string, body: object, command: readonly string[]) {
  const [byHttp, byCommand] = await Promise.all([
    ops.post(path, body),
    runOps(app.runtime, [...command, '--json']),
  ]);
  return {
    http: byHttp.status === 200 || byHttp.status === 201 ? null : byHttp.body.error.code,
    command: byCommand.code === 0 ? null : byCommand.error.code,
  };
}

const balanced = async () =>
  expect((await runOps(app.runtime, ['ledger:check', '--json'])).json).toMatchObject({ ok: true });

describe('two operators at the same moment', () => {
  it.each(ROUNDS)('refund an order once (round %i)', async () => {
    const { order } = await givenRecordedOrder(app);
    const codes = await bothAtOnce(`/orders/${order.public_id}/refund`, {}, [
      ...['order:refund', '--order', order.public_id],
    ]);
    expect(Object.values(codes).sort()).toEqual(['conflict', null]);
    const refunds = await app.runtime.db.knex('refunds').where({ order_id: order.public_id });
    expect(refunds).toHaveLength(1);
    await balanced();
  });

  it.each(ROUNDS)(
    'approve and cancel an order in review one after the other (round %i)',
    async () => {
      const { order } = await givenRecordedOrder(app, { priceCents: 950_000 });
      expect(order.status).toBe('MANUAL_REVIEW');
      const codes = await bothAtOnce(`/orders/${order.public_id}/clear`, {}, [
        ...['order:cancel', '--order', order.public_id],
      ]);
      // A paid order can still be canceled, so an approval that comes first is no obstacle.
      const { status } = await app.runtime.db.knex('orders').where({ id: order.public_id }).first();
      if (codes.command === null) expect(status).toBe('CANCELLED');
      else expect({ status, ...codes }).toMatchObject({ status: 'EXTERNALLY_PAID', http: null });
      expect([null, 'conflict']).toContain(codes.http);
      await balanced();
    },
  );

  it.each(ROUNDS)('record the payment of a settlement once (round %i)', async () => {
    const { order, partner } = await givenRecordedOrder(app);
    for (const step of ['order:start-transfer', 'order:confirm-delivery']) {
      expect((await runOps(app.runtime, [step, '--order', order.public_id])).code).toBe(0);
    }
    const until = app.runtime.clock.now();
    await closePartnerPeriods(app.runtime, { ...partner, until });
    const { id } = await app.runtime.db
      .knex('settlements')
      .where({ partner_id: partner.partnerId })
      .first();
    const codes = await bothAtOnce(`/settlements/${id}/mark-paid`, { reference: 'wire 1' }, [
      ...['settlement:mark-paid', '--id', id, '--reference', 'wire 2'],
    ]);
    expect(Object.values(codes).sort()).toEqual(['conflict', null]);
    await balanced();
  });
});
