import type { Tx } from '../platform/db.ts';
import { assignToPayout, lockPayableCommissions } from '../referral/payout-commissions.ts';
import { createPayout } from './make-payouts.ts';
import type { Payout, PayoutOwner } from './payout.ts';

/** Makes a payout in each currency of the referral commissions of an affiliate that became payable by `until`. */
export async function createCommissionPayouts(
  tx: Tx,
  owner: PayoutOwner,
  until: Date,
  now: Date,
): Promise<Payout[]> {
  const payouts: Payout[] = [];
  for (const pending of await lockPayableCommissions(tx, owner, null, until)) {
    const balance = { source: 'referral' as const, amount: pending.amount };
    const payout = await createPayout(tx, owner, balance, { settlementId: null, now });
    await assignToPayout(tx, payout.id, pending);
    payouts.push(payout);
  }
  return payouts;
}
