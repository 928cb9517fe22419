import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DAY, HOUR } from '../../../shared/platform/clock.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import {
  counterOffer,
  makeOffer,
  setOfferFloor,
} from '../../../shared/sales/offers/offer-lifecycle.ts';
import { writeQuoteToken } from '../../../shared/sales/quotes/quote.ts';
import { releaseQuote } from '../../../shared/sales/quotes/quote-lifecycle.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { givenQuote } from '../../support/sales.ts';

const PRICE = 1_000_000;
const LOWEST = 100_000;

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime({ MAX_OPEN_HOLDS: '2' });
});
afterAll(() => runtime.stop());

/** A listing with a private floor, probed by one partner with always new buyers. */
async function givenSecret(floor: number, partner: PartnerFixture) {
  const { domain } = await givenListing(runtime, { priceCents: PRICE, offersAccepted: true });
  const listing = { environment: 'SANDBOX' as const, domain };
  await runtime.db.transact((uow) => setOfferFloor(uow, listing, floor));
  let buyers = 0;
  let last: Awaited<ReturnType<typeof makeOffer>> | undefined;
  /** What the partner is told, without ids and times. */
  const told = async (work: () => Promise<unknown>): Promise<string> => {
    try {
      return String(await work());
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code, message } = error;
      return `${code} ${message.replaceAll(domain, 'it').replace(/\d{4}-\S+Z/, 'then')}`;
    }
  };
  return {
    offer: (amountCents: number) =>
      told(async () => {
        buyers += 1;
        const buyer = { email: `buyer-${buyers}@example.com`, name: null, country: null };
        last = await makeOffer(runtime, partner, { domain, amountCents, buyer });
        return last.status;
      }),
    /** The owner makes a counteroffer, and the buyer offers a price in between. */
    raise: (amountCents: number) =>
      told(async () => {
        if (last?.status !== 'OPEN') return 'nothing to raise';
        last = await counterOffer(runtime, null, last.id, PRICE);
        last = await counterOffer(runtime, partner, last.id, amountCents);
        return last.status;
      }),
    release: () =>
      told(async () => {
        const { price, quoteId, quoteExpiresAt } = last ?? {};
        if (!price || !quoteId || !quoteExpiresAt) return 'nothing to release';
        const quote = { id: quoteId, price, expiresAt: quoteExpiresAt };
        const token = await writeQuoteToken(runtime.tokens, quote, domain);
        return releaseQuote(runtime, partner, token);
      }),
  };
}

type Secret = Awaited<ReturnType<typeof givenSecret>>;

/** What a partner can do, besides offering, that might influence an answer. */
type Act =
  | { do: 'offer' | 'raise'; amount: number }
  | { do: 'release' }
  | { do: 'hold' }
  | { do: 'wait'; hours: number };

const amount = fc.integer({ min: LOWEST, max: PRICE - 1 });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('offer' as const), amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('raise' as const), amount }) },
  { weight: 2, arbitrary: fc.constant({ do: 'release' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'hold' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      hours: fc.constantFrom(1, 12, 25, 49, 8 * 24, 31 * 24),
    }),
  },
);

interface World {
  partner: PartnerFixture;
  secret: Secret;
  /** When the floor accepted an offer, and when an offer was left open. */
  accepted: number[];
  waiting: number[];
}

async function givenWorld(floor: number): Promise<World> {
  const partner = await givenPartner(runtime);
  return { partner, secret: await givenSecret(floor, partner), accepted: [], waiting: [] };
}

async function perform(world: World, each: Act): Promise<string> {
  const { partner, secret } = world;
  if (each.do === 'wait') return 'waited';
  if (each.do === 'release') return secret.release();
  if (each.do === 'hold') {
    const { domain } = await givenListing(runtime);
    return givenQuote(runtime, partner, domain).then(
      () => 'held',
      () => 'full',
    );
  }
  const now = runtime.clock.now().getTime();
  const answer = await secret[each.do](each.amount);
  if (answer === 'ACCEPTED') {
    world.accepted.push(now);
    // The raised offer is no longer open.
    if (each.do === 'raise') world.waiting.pop();
  } else if (answer === 'OPEN' && each.do === 'offer') world.waiting.push(now);
  return answer;
}

describe('the private floor of a listing', () => {
  it('reveals at most one acceptance per 30 days and takes three open offers a day', async () => {
    const floors = fc
      .tuple(amount, amount)
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    await fc.assert(
      fc.asyncProperty(
        floors,
        fc.array(act, { minLength: 6, maxLength: 16 }),
        async ([low, high], acts) => {
          // Two worlds that differ only in the floor: any different answer reveals something about it.
          const worlds = [await givenWorld(low), await givenWorld(high)] as const;
          let same = true;
          for (const each of acts) {
            if (each.do === 'wait') runtime.clock.advance(each.hours * HOUR);
            const answers = [await perform(worlds[0], each), await perform(worlds[1], each)];
            if (!same || answers[0] === answers[1]) continue;
            same = false;
            expect([each, answers]).toEqual([each, ['ACCEPTED', 'OPEN']]);
            if (!('amount' in each)) throw new Error('only a price can tell');
            expect(each.amount >= low && each.amount < high).toBe(true);
          }
          for (const { accepted, waiting } of worlds) {
            for (const [at, time] of accepted.entries()) {
              const before = accepted[at - 1];
              if (before !== undefined) expect(time - before).toBeGreaterThanOrEqual(30 * DAY);
            }
            for (const [at, time] of waiting.entries()) {
              const third = waiting[at - 3];
              if (third !== undefined) expect(time - third).toBeGreaterThanOrEqual(DAY);
            }
          }
        },
      ),
      { numRuns: Number(process.env.FLOOR_STRATEGIES ?? 25) },
    );
  }, 600_000);

  /** The partner's best strategy: bisect the unknown range, and release accepted offers. */
  async function halve(secret: Secret, days: number, asks: number) {
    let below = LOWEST;
    let above = PRICE;
    let accepted = 0;
    let refused = 0;
    for (let day = 0; day < days; day += 1) {
      for (let ask = 0; ask < asks; ask += 1) {
        const middle = Math.floor((below + above) / 2);
        const answer = await secret.offer(middle);
        if (answer === 'ACCEPTED') {
          accepted += 1;
          above = middle;
          await secret.release();
        } else if (answer === 'OPEN') {
          // After an acceptance, OPEN reveals nothing; the partner draws the wrong conclusion.
          if (accepted === 0) below = middle;
        } else refused += 1;
      }
      runtime.clock.advance(DAY + HOUR);
    }
    return { width: above - below, accepted, refused };
  }

  it('cannot be found by bisection: 16 daily offers leave at least 1/16 of the range', async () => {
    await fc.assert(
      fc.asyncProperty(amount, async (floor) => {
        const secret = await givenSecret(floor, await givenPartner(runtime));
        const { width, accepted, refused } = await halve(secret, 1, 16);
        expect(accepted).toBeLessThanOrEqual(1);
        expect(refused).toBeGreaterThanOrEqual(12);
        // Three times "no" and one "yes" halve the range four times.
        expect(width).toBeGreaterThanOrEqual((PRICE - LOWEST) / 16 - 1);
      }),
      { numRuns: 6 },
    );
  }, 300_000);

  it('accepts only one of several offers made at the same moment', async () => {
    const floor = 500_000;
    const secret = await givenSecret(floor, await givenPartner(runtime));
    const answers = await Promise.all(
      [600_000, 550_000, 520_000, 501_000, 500_000].map(secret.offer),
    );
    expect(answers.filter((answer) => answer === 'ACCEPTED')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'OPEN')).toHaveLength(3);
    expect(answers.filter((answer) => answer.startsWith('rate_limited'))).toHaveLength(1);
  });
});
