import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Payment } from '../../../shared/money/payments/payment.ts';
import { HOUR } from '../../../shared/platform/clock.ts';
import { Money } from '../../../shared/platform/money.ts';
import { givenPartner } from '../../support/factories.ts';
import { CARDS, card, givenPayment, requestFor } from '../../support/payments.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
let partnerId: string;
beforeAll(async () => {
  runtime = await createTestRuntime();
  ({ partnerId } = await givenPartner(runtime));
});
afterAll(() => runtime.stop());

const provider = () => runtime.payments('SANDBOX');
/** The sandbox ignores the expected payment, since nobody else can create payments there. */
const ANY = { paymentId: 'pmt_any', amount: new Money(1, 'USD') };

const begin = (payment: Payment, number: string) =>
  provider().begin(requestFor(payment, { now: runtime.clock.now(), card: card(number) }));
const given = () => givenPayment(runtime, { partnerId });

describe('the sandbox payment provider', () => {
  it('charges a payment once and keeps the first result, whatever card comes next', async () => {
    const payment = await given();
    const first = await begin(payment, CARDS.succeeds);
    expect(first).toEqual({ status: 'succeeded', reference: expect.any(String) });
    expect(await begin(payment, CARDS.declined)).toEqual(first);
    const declined = await given();
    await begin(declined, CARDS.declined);
    expect(await begin(declined, CARDS.succeeds)).toMatchObject({
      status: 'failed',
      code: 'card_declined',
    });
  });

  it('makes one charge of concurrent requests', async () => {
    const payment = await given();
    const steps = await Promise.all([
      begin(payment, CARDS.succeeds),
      begin(payment, CARDS.declined),
      begin(payment, CARDS.insufficient),
    ]);
    expect(new Set(steps.map((step) => JSON.stringify(step))).size).toBe(1);
  });

  it('asks for a confirmation and accepts only the first answer', async () => {
    const payment = await given();
    const step = await begin(payment, CARDS.confirms);
    expect(step).toMatchObject({ status: 'requires_confirmation', url: null });
    const reference = step.reference ?? '';
    expect(await provider().confirm(reference, true, ANY)).toEqual({
      status: 'succeeded',
      reference,
    });
    expect(await provider().confirm(reference, false, ANY)).toEqual({
      status: 'succeeded',
      reference,
    });
  });

  it('fails on a refused confirmation and cancels an unanswered one after an hour', async () => {
    const refused = await begin(await given(), CARDS.confirms);
    expect(await provider().confirm(refused.reference ?? '', false, ANY)).toMatchObject({
      status: 'failed',
      code: 'authentication_failed',
    });
    const left = await begin(await given(), CARDS.confirms);
    runtime.clock.advance(HOUR);
    expect(await provider().confirm(left.reference ?? '', true, ANY)).toMatchObject({
      status: 'failed',
      code: 'cancelled',
    });
  });

  it('finds a payment by our payment id', async () => {
    const payment = await given();
    const step = await begin(payment, CARDS.succeeds);
    expect(await provider().read(payment.id, ANY)).toEqual(step);
    expect(await provider().read('unknown', ANY)).toMatchObject({
      status: 'failed',
      reference: null,
    });
  });

  it('refunds a charge once and refuses to refund a declined one', async () => {
    const payment = await given();
    const { reference } = await begin(payment, CARDS.succeeds);
    const back = (of: string | null) =>
      provider().refund({
        paymentId: payment.id,
        reference: of ?? '',
        amount: payment.amount,
      });
    const first = await back(reference);
    expect(first.status).toBe('succeeded');
    expect(await back(reference)).toEqual(first);
    const declined = await begin(await given(), CARDS.declined);
    expect(await back(declined.reference)).toEqual({ status: 'failed', reference: null });
  });

  it('accepts no webhook notifications', async () => {
    expect(await provider().readNotification(Buffer.from('{}'), {}, async () => ANY)).toBeNull();
  });
});
