import { afterAll, beforeAll, it } from '@jest/globals';
import fc from 'fast-check';
import { addMs, DAY, HOUR } from '../../../shared/platform/clock.ts';
import { foldTransactionTallies } from '../../../shared/settlement/reports/transaction-report.ts';
import { foldUnsettledTallies } from '../../../shared/settlement/statements/close-statement.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { expectAllSettled, expectLaws, expectRecentLaws, expectReports } from './laws.ts';
import {
  type Book,
  decide,
  dispute,
  endPayout,
  foundMarketplace,
  giveBack,
  type Marketplace,
  moveOn,
  payStatement,
  REVIEW_COUNTRY,
  refundInMidPush,
  sell,
  setStanding,
  settle,
} from './marketplace.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime({
    settlementBatchSize: 2,
    REVIEW_COUNTRIES: REVIEW_COUNTRY,
    REVIEW_PRICE_CENTS: '0',
    REVIEW_ORDERS_PER_HOUR: '0',
    TAX_PROFILE: 'vat',
    SELLER_COUNTRY: 'DE',
    VAT_RATES: 'DE=19,FR=20',
  });
});
afterAll(() => runtime.stop());

const START = '2026-11-20T09:30:00.000Z';
const pick = fc.nat(99);
/** Three partners, each in SANDBOX and LIVE. */
const book = fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5);

const price = {
  currency: fc.constantFrom('USD', 'EUR', 'JPY'),
  priceCents: fc.oneof(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 9_999_999 })),
};

/** Possible events and their relative frequencies. */
const STEPS = {
  sell: {
    weight: 7,
    arbitrary: fc.record({
      book,
      model: fc.constantFrom('merchant_of_record', 'hosted_checkout', 'brokerage'),
      ...price,
      held: fc.boolean(),
      quoted: fc.boolean(),
      meanwhile: fc.constantFrom('nothing', 'reprice', 'import', 'import', 'delist'),
      later: fc.record(price),
      steps: fc.constantFrom(0, 1, 2, 3, 3, 3, 3),
    }),
  },
  moveOn: { weight: 3, arbitrary: fc.record({ pick }) },
  giveBack: {
    weight: 4,
    arbitrary: fc.record({ pick, cancelled: fc.boolean(), settling: fc.boolean() }),
  },
  refundInMidPush: {
    weight: 3,
    arbitrary: fc.record({
      pick,
      answer: fc.constantFrom('cancelled', 'too_late', 'unanswered'),
      decision: fc.constantFrom('approve', 'decline', 'later'),
    }),
  },
  dispute: {
    weight: 3,
    arbitrary: fc.record({ pick, end: fc.constantFrom('open', 'won', 'lost', 'withdrawn') }),
  },
  decide: { weight: 1, arbitrary: fc.record({ decision: fc.constantFrom('approve', 'decline') }) },
  settle: {
    weight: 4,
    arbitrary: fc.record({
      pick,
      agoMs: fc.constantFrom(0, 0, 0, 1, HOUR, 20 * DAY),
      atOnce: fc.integer({ min: 1, max: 2 }),
    }),
  },
  payStatement: {
    weight: 2,
    arbitrary: fc.record({ pick, fate: fc.constantFrom('paid', 'paid', 'returned') }),
  },
  endPayout: {
    weight: 4,
    arbitrary: fc.record({ pick, fate: fc.constantFrom('paid', 'paid', 'failed', 'returned') }),
  },
  setStanding: {
    weight: 1,
    arbitrary: fc.record({ book, standing: fc.constantFrom('suspended', 'active') }),
  },
  fold: { weight: 1, arbitrary: fc.record({ limit: fc.integer({ min: 1, max: 20 }) }) },
  wait: { weight: 2, arbitrary: fc.record({ days: fc.integer({ min: 0, max: 40 }) }) },
} as const;

type Step = {
  [Name in keyof typeof STEPS]: {
    name: Name;
    args: (typeof STEPS)[Name]['arbitrary'] extends fc.Arbitrary<infer A> ? A : never;
  };
}[keyof typeof STEPS];

const life = fc.array(
  fc.oneof(
    ...Object.entries(STEPS).map(([name, { weight, arbitrary }]) => ({
      weight,
      arbitrary: fc.record({ name: fc.constant(name), args: arbitrary as fc.Arbitrary<unknown> }),
    })),
  ) as fc.Arbitrary<Step>,
  { minLength: 25, maxLength: 50, size: 'max' },
);

async function happen(market: Marketplace, step: Step): Promise<void> {
  const bookAt = (at: number) => market.books[at] as Book;
  const order = (at: number) => market.orders[at % Math.max(1, market.orders.length)];
  runtime.clock.set(addMs(runtime.clock.now(), 1));
  switch (step.name) {
    case 'sell': {
      await sell(runtime, market, { ...step.args, book: bookAt(step.args.book) });
      const sold = market.orders.at(-1);
      for (let at = 0; sold && at < step.args.steps; at += 1) await moveOn(runtime, sold);
      return;
    }
    case 'moveOn': {
      const chosen = order(step.args.pick);
      if (chosen) await moveOn(runtime, chosen);
      return;
    }
    case 'giveBack': {
      const chosen = order(step.args.pick);
      if (!chosen) return;
      const settling = step.args.settling
        ? settle(runtime, chosen.book, { agoMs: 0, atOnce: 1 })
        : undefined;
      await giveBack(runtime, chosen, step.args.cancelled);
      await settling;
      return;
    }
    case 'refundInMidPush': {
      const under = market.orders.filter(({ stage }) => stage === 'transferring');
      const chosen = under[step.args.pick % Math.max(1, under.length)];
      if (!chosen) return;
      await refundInMidPush(runtime, chosen, step.args.answer);
      if (step.args.decision !== 'later') await decide(runtime, chosen, step.args.decision);
      return;
    }
    case 'dispute': {
      const chosen = order(step.args.pick);
      if (chosen) await dispute(runtime, chosen, step.args.end);
      return;
    }
    case 'decide': {
      const waiting = market.orders.find(({ undecided }) => undecided);
      if (waiting) await decide(runtime, waiting, step.args.decision);
      return;
    }
    case 'settle':
      return settle(runtime, order(step.args.pick)?.book ?? bookAt(0), step.args);
    case 'payStatement':
      return payStatement(runtime, market, step.args.pick, step.args.fate);
    case 'endPayout':
      return endPayout(runtime, market, step.args.pick, step.args.fate);
    case 'setStanding':
      return setStanding(runtime, market, bookAt(step.args.book), step.args.standing);
    case 'fold':
      await foldTransactionTallies(runtime, step.args.limit);
      await foldUnsettledTallies(runtime, step.args.limit);
      return;
    case 'wait':
      runtime.clock.set(addMs(runtime.clock.now(), step.args.days * DAY));
  }
}

it('balances match the orders after random sales, refunds, settlements, and payouts', async () => {
  await fc.assert(
    fc.asyncProperty(life, async (steps) => {
      runtime.clock.set(START);
      const market = await foundMarketplace(runtime);
      for (const step of steps) {
        await happen(market, step);
        await expectLaws(runtime, market);
      }
      await expectRecentLaws(runtime);
      const now = runtime.clock.now();
      await expectReports(runtime, market, { from: null, to: null });
      await expectReports(runtime, market, { from: new Date('2026-11-20T09:30:00.004Z'), to: now });

      // Once everything is old enough to settle, all delivered orders are paid out or withheld.
      runtime.clock.set(addMs(now, 60 * DAY));
      for (const each of market.books) await settle(runtime, each, { agoMs: 0, atOnce: 1 });
      await expectLaws(runtime, market);
      await expectAllSettled(runtime, market);
      // The same holds after half of the payouts failed, some of them after being paid.
      for (const each of market.books) await setStanding(runtime, market, each, 'active');
      for (let at = 0; at < 3; at += 1) await endPayout(runtime, market, at, 'returned');
      for (let at = 0; at < 2 * market.orders.length; at += 1) {
        await endPayout(runtime, market, 0, at % 2 === 0 ? 'failed' : 'paid');
      }
      runtime.clock.advance(1);
      for (const each of market.books) await settle(runtime, each, { agoMs: 0, atOnce: 1 });
      await expectLaws(runtime, market);
      await expectAllSettled(runtime, market);
    }),
    { numRuns: 10, endOnFailure: true },
  );
}, 480_000);
