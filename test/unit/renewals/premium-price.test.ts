import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { premiumRefusal } from '../../../shared/domains/registrar/premium-fees.ts';
import type { Tld } from '../../../shared/market/tlds/tld.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import { Money } from '../../../shared/platform/money.ts';
import { priceRenewal } from '../../../shared/sales/renewals/renewal-price.ts';

const usd = (cents: number) => new Money(cents, 'USD');
const LIST = 1_500;
const TLD = {
  minYears: 1,
  priceCents: { register: LIST, renew: LIST, transfer: LIST, restore: 8_000 },
  rules: { lifecycle: { restore_supported: true } },
} as unknown as Tld;

/** A registry's response about a name: nothing, a regular price, or a premium price; fees may be missing. */
const fee = fc.option(fc.integer({ min: 1, max: 100_000 }).map(usd), { freq: 6 });
const said = fc.option(fc.record({ isPremium: fc.boolean(), renew: fee, restore: fee }), {
  nil: undefined,
});
const renewal = fc.record({
  kind: fc.constantFrom('renewal' as const, 'restore' as const),
  years: fc.integer({ min: 1, max: 10 }),
  premiumMarginBps: fc.integer({ min: 0, max: 5_000 }),
  quoted: said,
  /** Its response at the time of the renewal; usually the same. */
  later: fc.option(said, { nil: 'same' as const, freq: 2 }),
});

it('never renews a premium name at the base price or at a fee that its owner did not see', () => {
  const ends = { refused: 0, made: 0 };
  const law = fc.property(renewal, ({ kind, years, premiumMarginBps, quoted, later }) => {
    const now = later === 'same' ? quoted : later;
    let sold: ReturnType<typeof priceRenewal>;
    try {
      sold = priceRenewal({ kind, years }, quoted, TLD, { premiumMarginBps });
    } catch (error) {
      // Only for a premium name without a fee from the registry.
      expect(error).toBeInstanceOf(ServiceError);
      const isTold = quoted?.renew && (kind === 'renewal' || quoted.restore);
      expect(quoted?.isPremium && !isTold).toBe(true);
      return;
    }
    const { price, fees } = sold;
    if (quoted?.isPremium) {
      const seen = usd((fees.renew?.amount ?? 0) + (fees.restore?.amount ?? 0));
      expect(fees.renew).toEqual(quoted.renew);
      expect(fees.restore).toEqual(kind === 'restore' ? quoted.restore : null);
      expect(price?.amount).toBe(seen.amount + seen.share(premiumMarginBps).amount);
    } else {
      expect(fees).toEqual({ renew: null, restore: null });
      expect(price?.amount).toBe(LIST * years + (kind === 'restore' ? 8_000 : 0));
    }
    if (!now?.isPremium) return;
    const asked = [
      ...(kind === 'restore' ? [['restore', fees.restore, now.restore] as const] : []),
      ['renew', fees.renew, now.renew] as const,
    ];
    for (const [what, agreed, asks] of asked) {
      const change = { kind: what, years, ...(agreed && { acknowledgedFee: agreed }) };
      const refusal = premiumRefusal(change, asks);
      const isAgreed = agreed !== null && asks !== null && agreed.equals(asks);
      expect(refusal === undefined).toBe(isAgreed);
      ends[isAgreed ? 'made' : 'refused'] += 1;
    }
  });
  fc.assert(law, { numRuns: 10_000 });
  // Both outcomes must be common for the property to mean something.
  expect(ends.made).toBeGreaterThan(500);
  expect(ends.refused).toBeGreaterThan(500);
});
