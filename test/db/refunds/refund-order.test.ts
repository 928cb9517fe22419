import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordOrder } from '../../../shared/orders/record-order.ts';
import { type RefundRequest, refundOrder } from '../../../shared/refunds/refund-order.ts';
import { beginPush } from '../../../shared/transfers/begin-push.ts';
import { confirmDelivery } from '../../../shared/transfers/confirm-delivery.ts';
import { recordPushState } from '../../../shared/transfers/record-push-state.ts';
import { startTransfer } from '../../../shared/transfers/start-transfer.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { givenSale, marketStatusOf, type Sale, storyOf } from '../../support/transfers.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const start = ({ order }: Sale) =>
  runtime.db.transact((tx) => startTransfer(tx, runtime, order.id));
const begin = ({ order }: Sale) => beginPush(runtime, { orderId: order.id, attempt: 1 });
const fail = ({ order }: Sale) =>
  runtime.db.transact((tx) =>
    recordPushState(
      tx,
      runtime,
      { orderId: order.id, attempt: 1 },
      { status: 'failed', reason: 'registrar_rejected' },
    ),
  );
const deliver = async (sale: Sale) => {
  await start(sale);
  await runtime.db.transact((tx) => confirmDelivery(tx, runtime, sale.order.id));
};
const refund = ({ order }: Sale, kind: RefundRequest['kind'] = 'refund') =>
  runtime.db.transact((tx) =>
    refundOrder(tx, runtime, {
      orderId: order.id,
      kind,
      reason: 'requested_by_customer',
      note: null,
      requestedBy: 'test',
    }),
  );

async function balances({ caller }: Sale): Promise<Record<string, number>> {
  const { rows } = await runtime.db.knex.raw(
    `select json_object_agg(account, total) as balances from (
       select account, sum(amount_cents) as total from ledger_postings where partner_id = ? group by 1) p`,
    [caller.partnerId],
  );
  return rows[0].balances;
}

const cancelJobs = ({ order }: Sale): Promise<object[]> =>
  runtime.db
    .knex('outbox')
    .where({ name: 'cancel-push' })
    .whereRaw(`payload ->> 'orderId' = ?`, [order.id])
    .pluck('payload');

describe('a refund before the transfer', () => {
  it('takes the money back to zero and lists the domain again', async () => {
    const sale = await givenSale(runtime);
    const { refund: made } = await refund(sale);
    expect(made).toMatchObject({ kind: 'refund', amountCents: 485_000, currency: 'USD' });
    expect(await balances(sale)).toEqual({ partner_clearing: 0, partner_commission: 0, sales: 0 });
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
    expect(await storyOf(runtime, sale)).toMatchObject({
      status: 'REFUNDED',
      timeline: ['order.recorded', 'order.refunded'],
      history: ['order.recorded', 'order.refunded'],
    });
  });

  it('lets the domain be sold anew', async () => {
    const sale = await givenSale(runtime);
    await refund(sale);
    const again = await runtime.db.transact((tx) =>
      recordOrder(
        tx,
        runtime.config,
        sale.caller,
        {
          domain: sale.order.domain,
          expectedPriceCents: 485_000,
          currency: 'USD',
          buyer: { email: 'other@example.com', name: null, country: null },
          quote: null,
          externalPaymentRef: null,
          returnUrl: null,
          cancelUrl: null,
        },
        runtime.clock.now(),
      ),
    );
    expect(again.status).toBe('EXTERNALLY_PAID');
  });

  it('happens once when ten ask for it at the same time', async () => {
    const sale = await givenSale(runtime);
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => refund(sale)));
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    );
    expect(refused).toHaveLength(9);
    for (const reason of refused) {
      expect(reason).toMatchObject({ details: { reason: 'already_refunded' } });
    }
    expect(await balances(sale)).toEqual({ partner_clearing: 0, partner_commission: 0, sales: 0 });
  });

  it('and a start at the same time leave one of two whole stories', async () => {
    for (let round = 0; round < 10; round += 1) {
      const sale = await givenSale(runtime);
      await Promise.allSettled([start(sale), refund(sale)]);
      const story = await storyOf(runtime, sale);
      expect(story.status).toBe('REFUNDED');
      expect(story.timeline).toEqual(story.history);
      expect(['cancelled', undefined]).toContain(story.transfer?.status);
      expect(await marketStatusOf(runtime, sale)).toBe('listed');
    }
  });
});

describe('a refund during the transfer', () => {
  it('of a push that has not left cancels it and lists the domain again', async () => {
    const sale = await givenSale(runtime);
    await start(sale);
    await refund(sale);
    const story = await storyOf(runtime, sale);
    expect(story.transfer).toMatchObject({ status: 'cancelled', reason: 'order_refunded' });
    expect(story.history.slice(-2)).toEqual(['transfer.cancelled', 'order.refunded']);
    expect(story.timeline).toEqual(story.history);
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
    expect(await cancelJobs(sale)).toEqual([]);
    expect(await begin(sale)).toBeUndefined();
  });

  it('of a push that has left keeps the domain off the market and asks to stop it', async () => {
    const sale = await givenSale(runtime);
    await start(sale);
    await begin(sale);
    await refund(sale);
    expect(await marketStatusOf(runtime, sale)).toBe('sold');
    expect(await cancelJobs(sale)).toEqual([{ orderId: sale.order.id, attempt: 1 }]);
    const progress = await runtime.db.transact((tx) =>
      recordPushState(tx, runtime, { orderId: sale.order.id, attempt: 1 }, { status: 'completed' }),
    );
    expect(progress).toBe('unwanted');
    expect((await storyOf(runtime, sale)).transfer?.status).toBe('cancelled');
  });

  it('of a push that the registrar rejected lists the domain again', async () => {
    const sale = await givenSale(runtime);
    await start(sale);
    await begin(sale);
    await fail(sale);
    await refund(sale);
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
    expect(await cancelJobs(sale)).toEqual([]);
  });

  it('cannot be a cancellation', async () => {
    const sale = await givenSale(runtime);
    await start(sale);
    await expect(refund(sale, 'cancel')).rejects.toMatchObject({
      details: { reason: 'invalid_state' },
    });
    expect((await storyOf(runtime, sale)).transfer?.status).toBe('queued');
  });
});

describe('after delivery', () => {
  it('a refund is refused, and nothing is changed', async () => {
    const sale = await givenSale(runtime);
    await deliver(sale);
    await expect(refund(sale)).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'invalid_state' },
      message: expect.stringMatching(/is TRANSFER_COMPLETED and cannot become REFUNDED/),
    });
    expect((await storyOf(runtime, sale)).transfer?.status).toBe('completed');
  });

  it('ops claw back: the ledger is reversed, the domain stays sold', async () => {
    const sale = await givenSale(runtime);
    await deliver(sale);
    const { refund: made } = await refund(sale, 'by_state');
    expect(made.kind).toBe('clawback');
    expect(await balances(sale)).toEqual({ partner_clearing: 0, partner_commission: 0, sales: 0 });
    expect(await marketStatusOf(runtime, sale)).toBe('sold');
    const story = await storyOf(runtime, sale);
    expect(story).toMatchObject({ status: 'REFUNDED', transfer: { status: 'completed' } });
    expect(story.history.at(-1)).toBe('order.refunded');
  });
});

describe('a cancellation', () => {
  it('ends a held order as CANCELLED with the event order.refunded', async () => {
    const sale = await givenSale(runtime, { domain: 'hold-cancelled.com' });
    expect(sale.order.status).toBe('MANUAL_REVIEW');
    const { refund: made } = await refund(sale, 'cancel');
    expect(made.kind).toBe('cancellation');
    expect(await storyOf(runtime, sale)).toMatchObject({
      status: 'CANCELLED',
      history: ['order.recorded', 'order.refunded'],
    });
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
  });
});
