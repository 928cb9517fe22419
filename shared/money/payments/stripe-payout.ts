import type { Stripe } from 'stripe';
import type { PayoutReturn, PayoutTransfer, PayoutTransferResult } from './payment-provider.ts';
import { stripeAmount } from './stripe-amount.ts';
import { isMissing, isRejectedRequest, stripeCodeOf, stripeUnavailable } from './stripe-client.ts';
import { idOf } from './stripe-refund.ts';

/**
 * Sends a payout as a transfer to a connected account, once. Looks for an earlier transfer first, because Stripe
 * forgets idempotency keys after a day.
 * @throws ServiceError service_unavailable
 */
export async function payOutAtStripe(
  stripe: Stripe,
  { payoutId, amount, account }: PayoutTransfer,
): Promise<PayoutTransferResult> {
  const counted = stripeAmount(amount);
  if (counted === undefined) return { status: 'refused', reason: 'amount_not_exact' };
  const wanted = {
    amount: counted,
    currency: amount.currency.toLowerCase(),
    destination: account,
  };
  try {
    const { data } = await stripe.transfers.list({ transfer_group: payoutId, limit: 1 });
    const [former] = data;
    if (former) {
      const fits =
        former.amount === wanted.amount &&
        former.currency === wanted.currency &&
        idOf(former.destination) === account;
      return fits
        ? { status: 'sent', reference: former.id }
        : { status: 'refused', reason: 'other_transfer' };
    }
    const { id: reference } = await stripe.transfers.create(
      { ...wanted, transfer_group: payoutId, metadata: { payout_id: payoutId } },
      { idempotencyKey: `payout-${payoutId}` },
    );
    return { status: 'sent', reference };
  } catch (error) {
    if (!isRejectedRequest(error)) throw stripeUnavailable(error);
    const reason = stripeCodeOf(error);
    return reason === 'balance_insufficient' ? { status: 'later' } : { status: 'refused', reason };
  }
}

/** Returns whether a connected account can receive transfers now. @throws ServiceError service_unavailable */
export async function canBePaidAtStripe(stripe: Stripe, account: string): Promise<boolean> {
  if (!/^acct_\w+$/.test(account)) return false;
  try {
    return (await stripe.accounts.retrieve(account)).capabilities?.transfers === 'active';
  } catch (error) {
    if (isMissing(error) || isRejectedRequest(error)) return false;
    throw stripeUnavailable(error);
  }
}

/** Returns the payout that an event reports as reversed; null for other transfers and partial reversals. */
export function payoutReturnOf(event: Stripe.Event): PayoutReturn | null {
  if (event.type !== 'transfer.reversed') return null;
  const { id: reference, metadata, reversed, reversals } = event.data.object;
  const payoutId = metadata.payout_id;
  if (!payoutId || !reversed) return null;
  return { payoutId, reference, returnReference: reversals.data[0]?.id ?? `${reference}-reversed` };
}
