import { formatMoneyWithCode, type Money } from '../../platform/money.ts';

/** A renewal or restore of a premium name, and the registry fee that its owner agreed to. */
interface PricedChange {
  kind: 'renew' | 'restore';
  years: number;
  acknowledgedFee?: Money | undefined;
}

/**
 * Returns why a premium name cannot be renewed or restored at the registry's current fee, worded for its owner;
 * undefined if the owner agreed to that fee. `fee` is null if the registry gives none.
 */
export function premiumRefusal(
  { kind, years, acknowledgedFee }: PricedChange,
  fee: Money | null,
): string | undefined {
  const [doing, name] =
    kind === 'renew' ? ['renewing it for', 'renewal'] : ['restoring it', 'restore'];
  if (!fee) {
    return `This is a premium domain, and the registry does not say what its ${name} costs. Try again later.`;
  }
  const term = kind === 'renew' ? ` ${years === 1 ? '1 year' : `${years} years`}` : '';
  const cost = `${doing}${term} costs ${formatMoneyWithCode(fee)}`;
  if (!acknowledgedFee) {
    return `This is a premium domain: ${cost}. Confirm this price to ${kind} it.`;
  }
  return acknowledgedFee.equals(fee)
    ? undefined
    : `The registry’s price has changed: ${cost} now. Confirm it to ${kind}.`;
}
