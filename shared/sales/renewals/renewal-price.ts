import { renewalPrice } from '../../domains/owned-domains/renewal-terms.ts';
import type { DomainPrices } from '../../domains/registrar/registrar.ts';
import type { Tld } from '../../market/tlds/tld.ts';
import type { Config } from '../../platform/config/config.ts';
import { Money } from '../../platform/money.ts';
import { notRenewable, type RegistryFees, type RenewalKind } from './renewal.ts';

/**
 * Returns the price of a renewal: our own price, or for a premium name the registry's fee, which we acknowledge to the
 * registry, plus our margin. Never uses our own price for a premium name. The price is null if we have none.
 * @param prices the registry's prices; undefined if the registry reports no fees
 * @throws conflict (invalid_state) for a premium name whose fee the registry does not report
 */
export function priceRenewal(
  { kind, years }: { kind: RenewalKind; years: number },
  prices: Pick<DomainPrices, 'isPremium' | 'renew' | 'restore'> | undefined,
  tld: Tld | undefined,
  config: Pick<Config, 'premiumMarginBps'>,
): { price: Money | null; fees: RegistryFees } {
  if (!prices?.isPremium) {
    return { price: listPrice(kind, years, tld), fees: { renew: null, restore: null } };
  }
  const renew = known(prices.renew);
  const restore = kind === 'restore' ? known(prices.restore) : null;
  const fee = restore ? renew.plus(restore) : renew;
  const price = fee.plus(fee.share(config.premiumMarginBps));
  return { price, fees: { renew, restore } };
}

/** Our own price. A restore costs a fee on top of the renewal. Null if we have no price. */
function listPrice(kind: RenewalKind, years: number, tld: Tld | undefined): Money | null {
  const renewal = renewalPrice(years, tld);
  if (kind === 'renewal') return renewal;
  const fee = tld?.rules.lifecycle.restore_supported ? tld.priceCents.restore : null;
  return renewal && fee !== null ? renewal.plus(new Money(fee, renewal.currency)) : null;
}

function known(fee: Money | null): Money {
  if (fee) return fee;
  throw notRenewable(
    'This is a premium domain, and the registry doesn’t say its price. Try later.',
  );
}
