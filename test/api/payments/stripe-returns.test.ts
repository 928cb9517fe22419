import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { formatMoney } from '../../../shared/platform/money.ts';
import {
  approveRefund,
  declineRefund,
  recordCancelPushResult,
} from '../../../shared/sales/refunds/pending-refund.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/deliver-domain.ts';
import { beginPush } from '../../../shared/sales/transfers/registrar-push.ts';
import { startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { paymentsOf } from '../../support/payments.ts';
import { type StripeApp, startStripeApp } from '../../support/stripe-app.ts';
import { takeBack } from '../../support/take-back.ts';

let app: StripeApp;
beforeAll(async () => {
  app = await startStripeApp({ MAIL: 'on' });
});
afterAll(() => app.stop());

type Sale = Awaited<ReturnType<StripeApp['givenPaidOrder']>>;

/** Reports that staff refunded a payment in Stripe's dashboard: all of it, or `more`. */
const refundByHand = ({ page }: Sale, more: object = {}) =>
  app.tell('charge.refunded', app.stripe.charge(page, more));
const statusOf = async ({ orderId }: Sale) =>
  (await app.runtime.db.knex('orders').where({ id: orderId }).first('status')).status;
const statusOfPayment = async ({ session }: Sale) =>
  (await paymentsOf(app.runtime, session)).map(({ status }) => status);
const ofOrder = (table: string, { orderId }: Sale) =>
  app.runtime.db.knex(table).where({ order_id: orderId }).first();

/** Expects a refunded order, without any refund request to Stripe. */
async function expectReversed(sale: Sale, kind: 'refund' | 'clawback') {
  expect(await statusOf(sale)).toBe('REFUNDED');
  expect(await statusOfPayment(sale)).toEqual(['refunded']);
  expect(await ofOrder('refunds', sale)).toMatchObject({ kind, requested_by: 'provider' });
  expect(app.stripe.refunds).toEqual([]);
  expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
}

describe('a payment that staff refund in the Stripe dashboard', () => {
  it('refunds its order once and relists the domain', async () => {
    const sale = await app.givenPaidOrder();
    await Promise.all([1, 2, 3].map(() => refundByHand(sale)));
    await expectReversed(sale, 'refund');
    const { knex } = app.runtime.db;
    const listing = await knex('listings').where({ domain: sale.session.domain }).first();
    expect(listing.status).toBe('listed');
    const events = await knex('events').where({ subject: sale.orderId, type: 'order.refunded' });
    expect(events).toHaveLength(1);
    const mail = await knex('mails').where({ cause: `refund:${sale.orderId}` });
    expect(mail).toMatchObject([{ data: { fromUs: true, byBank: false } }]);
  });

  it('claws back an order whose domain was delivered', async () => {
    const sale = await app.givenPaidOrder();
    await app.runtime.db.transact((uow) => startTransfer(uow, sale.orderId));
    await app.runtime.db.transact((uow) => confirmDelivery(uow, sale.orderId));
    await refundByHand(sale);
    await expectReversed(sale, 'clawback');
  });

  it('first stops the transfer, and staff cannot decline the refund', async () => {
    const sale = await app.givenPaidOrder();
    const { orderId } = sale;
    const inOne = app.runtime.db.transact;
    await inOne((uow) => startTransfer(uow, orderId));
    await beginPush(app.runtime, { orderId, attempt: 1 });
    await refundByHand(sale);
    expect(await statusOf(sale)).toBe('TRANSFER_IN_PROGRESS');
    await inOne((uow) => recordCancelPushResult(uow, orderId, 'unanswered'));
    await expect(inOne((uow) => declineRefund(uow, orderId))).rejects.toMatchObject({
      details: { reason: 'invalid_state' },
      message: expect.stringContaining('refunded by hand'),
    });
    await inOne((uow) => approveRefund(uow, orderId));
    await expectReversed(sale, 'refund');
  });

  it('is not refunded twice if a refund was already waiting for the registrar here', async () => {
    const sale = await app.givenPaidOrder();
    const { orderId } = sale;
    const inOne = app.runtime.db.transact;
    await inOne((uow) => startTransfer(uow, orderId));
    await beginPush(app.runtime, { orderId, attempt: 1 });
    expect(await takeBack(app.runtime, orderId)).toBe(false);
    await refundByHand(sale);
    await inOne((uow) => recordCancelPushResult(uow, orderId, 'cancelled'));
    expect(await statusOf(sale)).toBe('REFUNDED');
    expect(await statusOfPayment(sale)).toEqual(['refunded']);
    expect(app.stripe.refunds).toEqual([]);
  });

  it('leaves an order whose domain is on legal hold to staff', async () => {
    const sale = await app.givenPaidOrder();
    const { orderId, session } = sale;
    const { db } = app.runtime;
    await db.transact((uow) => startTransfer(uow, orderId));
    await db
      .knex('transfers')
      .where({ order_id: orderId })
      .update({ status: 'awaiting_confirmation' });
    await placeLegalHold(app.runtime, 'cli:test', {
      domain: session.domain,
      kind: 'court_order',
      caseReference: 'C-1',
    });
    await refundByHand(sale);
    await refundByHand(sale);
    expect(await statusOf(sale)).toBe('TRANSFER_IN_PROGRESS');
    expect(await ofOrder('refunds', sale)).toBeUndefined();
    const lines = db.knex('order_timeline').where({ order_id: orderId, event: 'payment.returned' });
    expect(await lines.pluck('note')).toEqual(['The payment was refunded by hand at its provider']);
  });

  describe('in part', () => {
    const refundPart = (sale: Sale, refunded: number) =>
      refundByHand(sale, { refunded: false, amount_refunded: refunded });
    const notesOf = ({ orderId }: Sale) =>
      app.runtime.db
        .knex('order_timeline')
        .where({ order_id: orderId, event: 'payment.partially_returned' })
        .orderBy('id')
        .pluck('note');

    it('changes neither order nor ledger, and tells staff once of each total', async () => {
      const sale = await app.givenPaidOrder();
      const { price } = sale.session;
      await Promise.all([1, 2, 3].map(() => refundPart(sale, 1_000)));
      await refundPart(sale, 2_550);
      await refundPart(sale, 1_000);
      expect(await statusOf(sale)).toBe('PAID');
      expect(await statusOfPayment(sale)).toEqual(['succeeded']);
      const whole = formatMoney(price);
      expect(await notesOf(sale)).toEqual([
        expect.stringContaining(`$10.00 of ${whole} was refunded by hand`),
        expect.stringContaining(`$25.50 of ${whole} was refunded by hand`),
      ]);
      expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
    });

    it('is in the log once, by its payment and order', async () => {
      const sale = await app.givenPaidOrder();
      const warn = jest.spyOn(app.runtime.log, 'warn');
      for (let time = 0; time < 2; time += 1) await refundPart(sale, 1_000);
      const told = warn.mock.calls.map(([facts]) => facts);
      warn.mockRestore();
      expect(told).toMatchObject([
        { order_id: sale.orderId, refunded_cents: 1_000, currency: 'USD' },
      ]);
    });

    it('tells nobody once all is refunded', async () => {
      const sale = await app.givenPaidOrder();
      await refundByHand(sale);
      await refundPart(sale, 1_000);
      expect(await notesOf(sale)).toEqual([]);
      await expectReversed(sale, 'refund');
    });
  });
});
