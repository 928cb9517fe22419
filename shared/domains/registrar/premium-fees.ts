import { formatMoneyWithCode, type Money } from '../../platform/money.ts';

/** A renewal or restore of a premium name, and what its owner agreed to pay the registry for it. */
interface PricedChange {
  kind: 'renew' | 'restore';
  years: number;
  acknowledgedFee?: Money | undefined;
}

/**
 * Why a premium name is not renewed or restored at the fee that its registry asks for now, in words for its owner;
 * undefined when that is the fee that the owner agreed to. A fee that the registry does not say is null.
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
