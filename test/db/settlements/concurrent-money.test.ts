import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import {
  markPayoutFailed,
  markPayoutPaid,
  reversePayout,
} from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import {
  type Affiliate,
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
  runtime = await createTestRuntime({ settlementBatchSize: 2 });
});
afterAll(() => runtime.stop());

interface Scene {
  sellers: PartnerFixture[];
  affiliate: Affiliate;
  orders: string[];
}

async function givenScene(prices: readonly number[]): Promise<Scene> {
  const affiliate = await givenAffiliate(runtime);
  const links = [
    await givenLink(runtime, affiliate),
    await givenLink(runtime, await givenAffiliate(runtime)),
  ];
  // The affiliate also sells, so one close covers its own statement and its commissions.
  const sellers: PartnerFixture[] = [await givenPartner(runtime), affiliate];
  const orders: string[] = [];
  for (const [at, priceCents] of prices.entries()) {
    const seller = sellers[at % sellers.length] as PartnerFixture;
    // Partners earn no commission on their own sales.
    const { code = '' } = links[seller === affiliate ? 1 : (at >> 1) % links.length] ?? {};
    const { id } = await givenReferredOrder(runtime, seller, code, { priceCents });
    orders.push(id);
  }
  return { sellers, affiliate, orders };
}

const payoutsOf = (scene: Scene): Promise<{ id: string; status: string; amount_cents: number }[]> =>
  runtime.db.knex('payouts').whereIn(
    'partner_id',
    scene.sellers.map((each) => each.partnerId),
  );

/** What workers and people may do concurrently. */
async function crowd(scene: Scene, seed: readonly number[]): Promise<(() => Promise<unknown>)[]> {
  const payouts = await payoutsOf(scene);
  const orders = scene.orders;
  return seed.map((n) => {
    const seller = scene.sellers[n % scene.sellers.length] as PartnerFixture;
    const order = orders[n % orders.length] as string;
    const payout = payouts[n % (payouts.length || 1)]?.id ?? 'pay_none';
    const until = runtime.clock.now();
    const acts: (() => Promise<unknown>)[] = [
      () => closePartnerPeriods(runtime, { ...seller, until }),
      () => takeBack(runtime, order),
      () => deliver(runtime, order),
      () => markPayoutPaid(runtime, 'test', { payoutId: payout, reference: 'bank' }),
      () => reversePayout(runtime, 'test', { payoutId: payout, reference: 'back', reason: null }),
      () => markPayoutFailed(runtime, 'test', { payoutId: payout, reference: null, reason: null }),
    ];
    return acts[n % acts.length] as () => Promise<unknown>;
  });
}

const deadlocks = async () => {
  const { rows } = await runtime.db.knex.raw(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return rows[0].deadlocks;
};

describe('concurrent refunds, settlements, payouts, and commissions', () => {
  it('are each refused or done once, balance the ledger, and never deadlock', async () => {
    const before = await deadlocks();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(1, 2, 7, 100, 485_000), { minLength: 3, maxLength: 8 }),
        fc.array(fc.array(fc.nat(999), { minLength: 4, maxLength: 14 }), {
          minLength: 2,
          maxLength: 4,
        }),
        async (prices, rounds) => {
          const scene = await givenScene(prices);
          await Promise.all(scene.orders.slice(1).map((id) => deliver(runtime, id)));
          for (const seed of rounds) {
            const acts = await crowd(scene, seed);
            const results = await Promise.allSettled(acts.map((act) => act()));
            for (const each of results) {
              if (each.status === 'fulfilled' || each.reason instanceof ServiceError) continue;
              throw each.reason;
            }
          }
          const sum = async (scope: object, account: string) =>
            Number(
              (
                await runtime.db
                  .knex('ledger_postings')
                  .where({ ...scope, account })
                  .sum('amount_cents as cents')
                  .first()
              )?.cents ?? 0,
            );
          const { partnerId } = scene.affiliate;
          const payouts = await payoutsOf(scene);
          const [, , balance = 0] = (await historyOf(runtime, scene.affiliate)).at(-1) ?? [];
          const owed = await sum({ partner_id: partnerId }, 'referral_payable');
          const inTransit = await sum({}, 'payouts_in_transit');
          // The history and the ledger agree on what we owe, including payouts in transit.
          const referral = await runtime.db
            .knex('payouts')
            .where({ partner_id: partnerId, source: 'referral', status: 'pending' })
            .sum('amount_cents as cents')
            .first();
          expect(balance).toBe(-owed + Number(referral?.cents ?? 0));
          expect(payouts.every(({ amount_cents }) => amount_cents > 0)).toBe(true);
          expect(inTransit).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: 25 },
    );
    const { ok, imbalances } = await checkLedger(runtime);
    expect(imbalances).toEqual([]);
    expect(ok).toBe(true);
    expect((await deadlocks()) - before).toBe(0);
  });
});
