import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PushState } from '../../../shared/domains/registrar/registrar.ts';
import type { UnitOfWork } from '../../../shared/messaging/unit-of-work/unit-of-work.ts';
import { countOpenWork } from '../../../shared/operations/monitoring/console-read-model.ts';
import { Money } from '../../../shared/platform/money.ts';
import { getOrderDetail } from '../../../shared/sales/orders/read-orders.ts';
import { recordOrder } from '../../../shared/sales/orders/record-order.ts';
import {
  approveRefund,
  declineRefund,
  listRefundsToDecide,
  recordCancelPushResult,
} from '../../../shared/sales/refunds/pending-refund.ts';
import { type RefundInput, refundOrder } from '../../../shared/sales/refunds/refund-order.ts';
import {
  confirmDelivery,
  confirmDeliveryIfAwaited,
} from '../../../shared/sales/transfers/deliver-domain.ts';
import { beginPush, recordPushState } from '../../../shared/sales/transfers/registrar-push.ts';
import { retryTransfer, startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { KEPT_REGISTRANT } from '../../support/registrants.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { givenSale, marketStatusOf, type Sale, storyOf } from '../../support/transfers.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const start = ({ order }: Sale) => runtime.db.transact((uow) => startTransfer(uow, order.id));
const begin = ({ order }: Sale) => beginPush(runtime, { orderId: order.id, attempt: 1 });
const record = ({ order }: Sale, state: PushState) =>
  runtime.db.transact((uow) =>
    recordPushState(uow, runtime, { orderId: order.id, attempt: 1 }, state),
  );
const fail = (sale: Sale) => record(sale, { status: 'failed', reason: 'registrar_rejected' });
const of =
  (work: (uow: UnitOfWork, orderId: string) => Promise<unknown>) =>
  ({ order }: Sale) =>
    runtime.db.transact((uow) => work(uow, order.id));
const confirm = of(confirmDelivery);
const retry = of(retryTransfer);
const approve = of(approveRefund);
const decline = of(declineRefund);
const stopped = ({ order }: Sale, answer: 'cancelled' | 'too_late' | 'unanswered') =>
  runtime.db.transact((uow) => recordCancelPushResult(uow, order.id, answer));
const deliver = async (sale: Sale) => {
  await start(sale);
  await runtime.db.transact((uow) => confirmDelivery(uow, sale.order.id));
};
const refund = ({ order }: Sale, kind: RefundInput['kind'] = 'refund') =>
  runtime.db.transact((uow) =>
    refundOrder(uow, {
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

const stopJobs = ({ order }: Sale): Promise<object[]> =>
  runtime.db
    .knex('outbox')
    .where({ name: 'stop-push' })
    .whereRaw(`payload ->> 'orderId' = ?`, [order.id])
    .pluck('payload');

async function givenPushing(): Promise<Sale> {
  const sale = await givenSale(runtime);
  await start(sale);
  await begin(sale);
  return sale;
}

/** The refund has not yet affected the ledger, the market, or the partner's events. */
async function expectUntouched(sale: Sale): Promise<void> {
  expect((await balances(sale)).sales).toBe(-485_000);
  expect(await marketStatusOf(runtime, sale)).toBe('sold');
  const story = await storyOf(runtime, sale);
  expect(story.status).toBe('TRANSFER_IN_PROGRESS');
  expect(story.timeline).toEqual(story.history);
  expect(story.history).not.toContain('order.refunded');
  expect(story.history).not.toContain('transfer.cancelled');
}

describe('refunding an order before the transfer', () => {
  it('reverses the ledger to zero and relists the domain', async () => {
    const sale = await givenSale(runtime);
    const { refund: made } = await refund(sale);
    expect(made).toMatchObject({ kind: 'refund', amount: new Money(485_000, 'USD') });
    expect(await balances(sale)).toEqual({ partner_clearing: 0, partner_commission: 0, sales: 0 });
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
    expect(await storyOf(runtime, sale)).toMatchObject({
      status: 'REFUNDED',
      timeline: ['order.recorded', 'order.refunded'],
      history: ['order.recorded', 'order.refunded'],
    });
  });

  it('lets the domain be sold again', async () => {
    const sale = await givenSale(runtime);
    await refund(sale);
    const again = await runtime.db.transact((uow) =>
      recordOrder(uow, runtime, sale.caller, {
        domain: sale.order.domain,
        expectedPriceCents: 485_000,
        currency: 'USD',
        buyer: { email: 'other@example.com', name: null, country: null },
        quote: null,
        externalPaymentRef: null,
        returnUrl: null,
        cancelUrl: null,
        registrant: KEPT_REGISTRANT,
      }),
    );
    expect(again.status).toBe('EXTERNALLY_PAID');
  });

  it('happens once when requested ten times at the same moment', async () => {
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

  it('still succeeds when a transfer starts at the same moment', async () => {
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

describe('refunding an order during the transfer', () => {
  it('cancels a push that was not sent yet and relists the domain', async () => {
    const sale = await givenSale(runtime);
    await start(sale);
    await refund(sale);
    const story = await storyOf(runtime, sale);
    expect(story.transfer).toMatchObject({ status: 'cancelled', reason: 'order_refunded' });
    expect(story.history.slice(-2)).toEqual(['transfer.cancelled', 'order.refunded']);
    expect(story.timeline).toEqual(story.history);
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
    expect(await stopJobs(sale)).toEqual([]);
    expect(await begin(sale)).toBeUndefined();
  });

  it('waits for the registrar, reversing nothing, if the push may have been sent', async () => {
    const sale = await givenPushing();
    const { order, refund: asked } = await refund(sale);
    expect(order.status).toBe('TRANSFER_IN_PROGRESS');
    expect(asked.completedAt).toBeNull();
    expect(await stopJobs(sale)).toEqual([{ orderId: sale.order.id, attempt: 1 }]);
    await expectUntouched(sale);
    const { refund: shown } = await getOrderDetail(runtime, sale.caller, sale.order.id);
    expect(shown).toMatchObject({ id: asked.id, status: 'pending', completedAt: null });
  });

  it('blocks other refunds, retries, confirmations, and registrar updates meanwhile', async () => {
    const sale = await givenPushing();
    await refund(sale);
    const refused = { code: 'conflict', details: { reason: 'invalid_state' } };
    await expect(refund(sale)).rejects.toMatchObject({ details: { reason: 'already_refunded' } });
    await expect(confirm(sale)).rejects.toMatchObject(refused);
    await expect(retry(sale)).rejects.toMatchObject(refused);
    await expect(approve(sale)).rejects.toMatchObject(refused);
    await expect(decline(sale)).rejects.toMatchObject(refused);
    expect(await begin(sale)).toBeUndefined();
    const progress = await runtime.db.transact((uow) =>
      recordPushState(
        uow,
        runtime,
        { orderId: sale.order.id, attempt: 1 },
        { status: 'completed' },
      ),
    );
    expect(progress).toBe('ended');
    await expectUntouched(sale);
  });

  it('completes and relists the domain once the push is confirmed stopped', async () => {
    const sale = await givenPushing();
    const { refund: asked } = await refund(sale);
    await Promise.all(Array.from({ length: 4 }, () => stopped(sale, 'cancelled')));
    expect(await balances(sale)).toEqual({ partner_clearing: 0, partner_commission: 0, sales: 0 });
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
    const story = await storyOf(runtime, sale);
    expect(story).toMatchObject({ status: 'REFUNDED', transfer: { status: 'cancelled' } });
    expect(story.history.slice(-2)).toEqual(['transfer.cancelled', 'order.refunded']);
    expect(story.timeline).toEqual(story.history);
    const { refund: shown } = await getOrderDetail(runtime, sale.caller, sale.order.id);
    expect(shown).toMatchObject({
      id: asked.id,
      status: 'completed',
      createdAt: asked.createdAt,
      completedAt: expect.any(Date),
    });
  });

  it('waits for staff if it came too late to stop the push', async () => {
    const sale = await givenPushing();
    const { SANDBOX: before } = await countOpenWork(runtime);
    await refund(sale);
    await stopped(sale, 'too_late');
    await expectUntouched(sale);
    expect((await storyOf(runtime, sale)).transfer?.status).toBe('awaiting_confirmation');
    expect(await listRefundsToDecide(runtime, 100)).toContainEqual(
      expect.objectContaining({ orderId: sale.order.id, cause: 'too_late' }),
    );
    const { SANDBOX: after } = await countOpenWork(runtime);
    expect(after.refundsToDecide).toBe(before.refundsToDecide + 1);
    expect(after.toConfirm).toBe(before.toConfirm);
    await runtime.db.transact((uow) => confirmDeliveryIfAwaited(uow, sale.order.id));
    await expect(confirm(sale)).rejects.toThrow(/Approve it or decline it/);
    await stopped(sale, 'cancelled');
    await expectUntouched(sale);
  });

  it('keeps the domain off the market when staff approve a refund that came too late', async () => {
    const sale = await givenPushing();
    await refund(sale);
    await stopped(sale, 'too_late');
    await approve(sale);
    expect(await balances(sale)).toEqual({ partner_clearing: 0, partner_commission: 0, sales: 0 });
    expect(await marketStatusOf(runtime, sale)).toBe('sold');
    const story = await storyOf(runtime, sale);
    expect(story).toMatchObject({ status: 'REFUNDED', transfer: { status: 'completed' } });
    expect(story.history.slice(-2)).toEqual(['transfer.completed', 'order.refunded']);
    expect(story.timeline).toEqual(story.history);
    await expect(approve(sale)).rejects.toMatchObject({ details: { reason: 'invalid_state' } });
  });

  it('delivers the order when staff decline a refund that came too late', async () => {
    const sale = await givenPushing();
    await refund(sale);
    await stopped(sale, 'too_late');
    await decline(sale);
    const story = await storyOf(runtime, sale);
    expect(story).toMatchObject({
      status: 'TRANSFER_COMPLETED',
      transfer: { status: 'completed' },
    });
    expect(story.history.slice(-2)).toEqual(['transfer.completed', 'order.transfer_completed']);
    const { refund: shown } = await getOrderDetail(runtime, sale.caller, sale.order.id);
    expect(shown?.status).toBe('declined');
    expect((await refund(sale, 'by_state')).refund.kind).toBe('clawback');
  });

  it('can be requested again after a decline when the registrar never answered', async () => {
    const sale = await givenPushing();
    await refund(sale);
    await stopped(sale, 'unanswered');
    expect(await listRefundsToDecide(runtime, 100)).toContainEqual(
      expect.objectContaining({ orderId: sale.order.id, cause: 'unanswered' }),
    );
    await decline(sale);
    expect((await storyOf(runtime, sale)).transfer).toMatchObject({
      status: 'action_required',
      reason: 'refund_declined',
    });
    await refund(sale);
    expect(await stopJobs(sale)).toHaveLength(2);
    await stopped(sale, 'unanswered');
    // The registrar responds before staff have decided.
    await stopped(sale, 'cancelled');
    expect((await storyOf(runtime, sale)).status).toBe('REFUNDED');
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
  });

  it('cancels a queued retry; after a decline the next push is a new attempt', async () => {
    const sale = await givenPushing();
    await record(sale, { status: 'action_required', reason: 'unlock_domain' });
    await retry(sale);
    await refund(sale);
    await stopped(sale, 'unanswered');
    await decline(sale);
    await retry(sale);
    const push = await beginPush(runtime, { orderId: sale.order.id, attempt: 3 });
    expect(push?.transfer.attempts).toBe(3);
  });

  it('is refused once the registrar has moved the domain, even for staff', async () => {
    const sale = await givenPushing();
    await record(sale, { status: 'completed' });
    for (const kind of ['refund', 'by_state'] as const) {
      await expect(refund(sale, kind)).rejects.toMatchObject({
        code: 'conflict',
        details: { reason: 'invalid_state' },
        message: expect.stringMatching(/registrar has moved the domain/),
      });
    }
    await expectUntouched(sale);
  });

  it('relists the domain when the registrar rejected the push', async () => {
    const sale = await givenSale(runtime);
    await start(sale);
    await begin(sale);
    await fail(sale);
    await refund(sale);
    expect(await marketStatusOf(runtime, sale)).toBe('listed');
    expect(await stopJobs(sale)).toEqual([]);
  });

  it('cannot be done as a cancellation', async () => {
    const sale = await givenSale(runtime);
    await start(sale);
    await expect(refund(sale, 'cancel')).rejects.toMatchObject({
      details: { reason: 'invalid_state' },
    });
    expect((await storyOf(runtime, sale)).transfer?.status).toBe('queued');
  });
});

describe('after delivery', () => {
  it('refuses a refund and changes nothing', async () => {
    const sale = await givenSale(runtime);
    await deliver(sale);
    await expect(refund(sale)).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'invalid_state' },
      message: expect.stringMatching(/is TRANSFER_COMPLETED and cannot become REFUNDED/),
    });
    expect((await storyOf(runtime, sale)).transfer?.status).toBe('completed');
  });

  it('lets ops claw back the order: the ledger is reversed, the domain stays sold', async () => {
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

describe('canceling an order', () => {
  it('ends a held order as CANCELLED and emits order.refunded', async () => {
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
