import type { Caller } from '../partners/credential.ts';
import type { Database } from '../platform/db.ts';
import { assertAffiliate } from '../referral/affiliate.ts';
import * as store from './commission-payout.store.ts';

export type { CommissionPayout } from './commission-payout.store.ts';

/**
 * A page of the caller's payouts of referral commissions, newest first, and all that it was ever paid in
 * one currency. @throws forbidden (no affiliate account)
 */
export async function listCommissionPayouts(
  { db }: { db: Database },
  caller: Caller,
  filter: store.CommissionPayoutFilter,
): Promise<{ payouts: store.CommissionPayout[]; totalPaidCents: number }> {
  assertAffiliate(caller);
  return store.listCommissionPayouts(db.knex, caller, filter);
}
