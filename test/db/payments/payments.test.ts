import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Payment } from '../../../shared/money/payments/payment.ts';
import {
  attachOrder,
  findPayment,
  findSessionPayment,
  openPayment,
  recordPaymentRefunded,
  recordPaymentState,
  requestPaymentRefund,
} from '../../../shared/money/payments/payment-lifecycle.ts';
import type { PaymentState } from '../../../shared/money/payments/payment-provider.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { Money } from '../../../shared/platform/money.ts';
import { givenPartner } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { givenPayment } from '../../support/payments.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
let partnerId: string;
beforeAll(async () => {
  runtime = await createTestRuntime();
  ({ partnerId } = await givenPartner(runtime));
});
afterAll(() => runtime.stop());

const given = (sessionId?: string) =>
  givenPayment(runtime, { partnerId, ...(sessionId && { sessionId }) });
const open = (sessionId: string) =>
  runtime.db.transact((uow) =>
    openPayment(uow, {
      sessionId,
      partnerId,
      environment: 'SANDBOX',
      provider: 'sandbox',
      amount: new Money(485_000, 'USD'),
    }),
  );
const record = ({ id }: Payment, step: PaymentState) =>
  runtime.db.transact((uow) => recordPaymentState(uow, id, step));
const read = async ({ id }: Payment) => {
  const found = await findPayment(runtime.db.knex, id);
  if (!found) throw new Error('no payment');
  return found;
};
const refund = (of: { orderId: string } | { paymentId: string }) =>
  runtime.db.transact((uow) => requestPaymentRefund(uow, of));
const refundJobs = ({ id }: Payment): Promise<object[]> =>
  runtime.db
    .knex('outbox')
    .where({ name: 'refund-payment' })
    .whereRaw(`payload ->> 'paymentId' = ?`, [id])
    .pluck('payload');

const succeeded = (payment: Payment): PaymentState => ({
  status: 'succeeded',
  reference: `ref_${payment.id}`,
});
const failed = (payment: Payment): PaymentState => ({
  status: 'failed',
  reference: `ref_${payment.id}`,
  code: 'card_declined',
});

describe('payments of a checkout session', () => {
  it('only one can be open, even when eight are opened at once', async () => {
    const sessionId = newId('checkoutSession', runtime.clock.now());
    const opened = await Promise.all(Array.from({ length: 8 }, () => open(sessionId)));
    const payments = opened.filter((payment) => payment !== undefined);
    expect(payments).toHaveLength(1);
    expect(payments[0]).toMatchObject({ status: 'created', attempt: 1, providerReference: null });
    expect(await findSessionPayment(runtime.db.knex, sessionId)).toEqual(payments[0]);
  });

  it('another one can be opened after a failed one, but not after a successful one', async () => {
    const first = await given();
    await record(first, failed(first));
    expect(await findSessionPayment(runtime.db.knex, first.sessionId)).toBeUndefined();
    const second = await open(first.sessionId);
    expect(second).toMatchObject({ attempt: 2 });
    if (second) await record(second, succeeded(second));
    expect(await open(first.sessionId)).toBeUndefined();
  });

  it('no other one can be opened after the order was refunded', async () => {
    const payment = await given();
    const orderId = await givenOrder(
      runtime,
      { partnerId, environment: 'SANDBOX' },
      { paymentModel: 'hosted_checkout' },
    );
    await record(payment, succeeded(payment));
    await runtime.db.transact((uow) => attachOrder(uow, payment.id, orderId));
    await refund({ orderId });
    expect(await open(payment.sessionId)).toBeUndefined();
  });
});

describe('recording a payment status', () => {
  it('happens once per status', async () => {
    const payment = await given();
    const step: PaymentState = { status: 'requires_confirmation', reference: 'ref_1', url: null };
    expect(await record(payment, step)).toMatchObject({
      status: 'requires_confirmation',
      providerReference: 'ref_1',
    });
    expect(await record(payment, step)).toBeUndefined();
    expect(await record(payment, succeeded(payment))).toMatchObject({ status: 'succeeded' });
    expect(await record(payment, succeeded(payment))).toBeUndefined();
  });

  it('does nothing for an unknown payment', async () => {
    const ghost = { ...(await given()), id: newId('payment', runtime.clock.now()) };
    expect(await record(ghost, succeeded(ghost))).toBeUndefined();
  });

  it('never overwrites success, and success counts whenever it arrives', async () => {
    const kinds = ['requires_confirmation', 'pending', 'succeeded', 'failed'] as const;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { maxLength: 8 }), async (story) => {
        const payment = await given();
        for (const [at, kind] of story.entries()) {
          const after = await record(payment, stepOf(payment, kind));
          if (story.slice(0, at).includes('succeeded')) expect(after).toBeUndefined();
        }
        const { status, declineCode } = await read(payment);
        if (story.includes('succeeded')) expect(status).toBe('succeeded');
        else if (story.includes('failed')) expect(status).toBe('failed');
        expect(declineCode).toBe(status === 'failed' ? 'card_declined' : null);
      }),
      { numRuns: 40 },
    );
  });

  function stepOf(payment: Payment, kind: PaymentState['status']): PaymentState {
    if (kind === 'failed') return failed(payment);
    if (kind === 'requires_confirmation') {
      return { status: kind, reference: `ref_${payment.id}`, url: null };
    }
    return { status: kind, reference: `ref_${payment.id}` };
  }

  it('refunds a late success when the session was paid by another payment', async () => {
    const first = await given();
    await record(first, failed(first));
    const second = await given(first.sessionId);
    await record(second, succeeded(second));
    expect(await record(first, succeeded(first))).toMatchObject({ status: 'refund_pending' });
    expect(await refundJobs(first)).toEqual([{ paymentId: first.id }]);
    expect(await read(second)).toMatchObject({ status: 'succeeded' });
    expect(await findSessionPayment(runtime.db.knex, first.sessionId)).toMatchObject({
      id: second.id,
    });
  });
});

describe('refunding a payment', () => {
  it('is requested once, and only if the payment succeeded', async () => {
    const payment = await given();
    expect(await refund({ paymentId: payment.id })).toBeUndefined();
    await record(payment, succeeded(payment));
    expect(await refund({ paymentId: payment.id })).toMatchObject({ status: 'refund_pending' });
    expect(await refund({ paymentId: payment.id })).toBeUndefined();
    expect(await refundJobs(payment)).toEqual([{ paymentId: payment.id }]);
  });

  it('is recorded once, and later statuses change nothing', async () => {
    const payment = await given();
    await record(payment, succeeded(payment));
    await refund({ paymentId: payment.id });
    const end = () => runtime.db.transact((uow) => recordPaymentRefunded(uow, payment.id, 're_1'));
    expect([await end(), await end()]).toEqual([true, false]);
    expect(await record(payment, succeeded(payment))).toBeUndefined();
    expect(await record(payment, failed(payment))).toBeUndefined();
    expect(await read(payment)).toMatchObject({ status: 'refunded', refundReference: 're_1' });
  });

  it('does nothing for an order that was not paid through us', async () => {
    const orderId = await givenOrder(runtime, { partnerId, environment: 'SANDBOX' });
    expect(await refund({ orderId })).toBeUndefined();
  });
});
