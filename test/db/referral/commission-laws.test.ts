import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { shareOf } from '../../../shared/platform/money.ts';
import { createCommissionPayouts } from '../../../shared/settlement/payouts/create-payouts.ts';
import {
  markPayoutFailed,
  markPayoutPaid,
  reversePayout,
} from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { givenPartner } from '../../support/factories.ts';
import {
  deliver,
  givenAffiliate,
  givenLink,
  givenReferredOrder,
  historyOf,
} from '../../support/referrals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

interface Step {
  do:
    | 'sell'
    | 'deliver'
    | 'take_back'
    | 'settle'
    | 'pay'
    | 'mark_paid'
    | 'mark_failed'
    | 'comes_back';
  /** Index of an order or payout, modulo their number. */
  which: number;
  priceCents: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom<Step['do'][]>(
    ...([
      'sell',
      'sell',
      'deliver',
      'deliver',
      'take_back',
      'settle',
      'settle',
      'pay',
      'pay',
    ] as const),
    ...(['mark_paid', 'mark_paid', 'mark_failed', 'comes_back', 'comes_back'] as const),
  ),
  which: fc.nat(7),
  priceCents: fc.integer({ min: 1, max: 5_000_000 }),
});

/** A sale that is paid out in the end, so that most runs contain one. */
const OPENING: readonly Step[] = (
  ['sell', 'sell', 'deliver', 'deliver', 'settle', 'pay', 'mark_paid', 'take_back'] as const
).map((each, at) => ({ do: each, which: at % 2, priceCents: 100_000 }));

const steps = fc
  .tuple(fc.nat(OPENING.length), fc.array(step, { maxLength: 30, size: 'max' }))
  .map(([known, more]) => [...OPENING.slice(0, known), ...more]);

const END = { mark_paid: markPayoutPaid, mark_failed: markPayoutFailed, comes_back: reversePayout };

const refused = (error: { code?: string }) => {
  if (error.code !== 'conflict') throw error;
  return undefined;
};

/** Plays the steps; steps that are not allowed are refused and change nothing. */
async function play(played: readonly Step[]) {
  const affiliate = await givenAffiliate(runtime);
  const { code } = await givenLink(runtime, affiliate);
  const seller = await givenPartner(runtime);
  const orders: { id: string; priceCents: number; takenBack: boolean }[] = [];
  const payouts: { id: string; amountCents: number; paid: boolean }[] = [];
  const now = () => runtime.clock.now();
  for (const each of played) {
    if (each.do === 'sell') {
      const order = await givenReferredOrder(runtime, seller, code, {
        priceCents: each.priceCents,
      });
      orders.push({ id: order.id, priceCents: each.priceCents, takenBack: false });
    } else if (each.do === 'settle') {
      await closePartnerPeriods(runtime, { ...seller, until: now() });
    } else if (each.do === 'pay') {
      const made = await runtime.db.transact((uow) =>
        createCommissionPayouts(uow, affiliate, now(), now()),
      );
      payouts.push(
        ...made.map(({ id, amount }) => ({ id, amountCents: amount.amount, paid: false })),
      );
    } else if (each.do === 'deliver' || each.do === 'take_back') {
      const order = orders[each.which % orders.length];
      if (!order) continue;
      if (each.do === 'deliver') await deliver(runtime, order.id).catch(refused);
      else {
        await takeBack(runtime, order.id).catch(refused);
        order.takenBack = true;
      }
    } else {
      const payout = payouts[each.which % payouts.length];
      if (!payout) continue;
      const input = { payoutId: payout.id, reference: payout.id, reason: null };
      const ended = await END[each.do](runtime, 'test', input).catch(refused);
      if (ended) payout.paid = ended.status === 'paid';
    }
  }
  return { affiliate, seller, orders, payouts };
}

describe('random histories of referred sales', () => {
  it('keep the balance at earned minus paid commissions, and the ledger balanced', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (played) => {
        const { affiliate, seller, orders, payouts } = await play(played);
        const history = await historyOf(runtime, affiliate);
        let running = 0;
        for (const [, amount, balance] of history) {
          running += amount;
          expect(balance).toBe(running);
        }
        const earned = orders
          .filter((order) => !order.takenBack)
          .reduce((sum, order) => sum + shareOf(order.priceCents, 500), 0);
        const paid = payouts
          .filter((payout) => payout.paid)
          .reduce((sum, payout) => sum + payout.amountCents, 0);
        expect(running).toBe(earned - paid);
        expect(await checkLedger(runtime)).toMatchObject({ ok: true });

        // Once all is delivered and settled, the next payout is the balance.
        for (const { id } of orders) await deliver(runtime, id).catch(refused);
        await closePartnerPeriods(runtime, { ...seller, until: runtime.clock.now() });
        for (const { id: payoutId } of payouts) {
          const failed = { payoutId, reference: null, reason: null };
          await markPayoutFailed(runtime, 'test', failed).catch(refused);
        }
        const now = runtime.clock.now();
        const last = await runtime.db.transact((uow) =>
          createCommissionPayouts(uow, affiliate, now, now),
        );
        const next = last.reduce((sum, { amount }) => sum + amount.amount, 0);
        expect(next).toBe(Math.max(running, 0));
        expect(await checkLedger(runtime)).toMatchObject({ ok: true });
      }),
      { numRuns: 30 },
    );
  });
});
