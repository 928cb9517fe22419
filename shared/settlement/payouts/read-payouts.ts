import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { Caller } from '../../people/partners/credential.ts';
import { fail } from '../../platform/errors.ts';
import { assertAffiliate } from '../../sales/referral/referral-link.ts';
import * as store from './payout.store.ts';
import type { Payout, PayoutOwner } from './payout.ts';

export type { CommissionPayout, PayoutFilter } from './payout.store.ts';

/** A page of a partner's payouts, newest first. */
export function listPayouts(
  { db }: { db: Database },
  owner: PayoutOwner,
  filter: store.PayoutFilter,
): Promise<Payout[]> {
  return db.read((sql) => store.readPayouts(sql, owner, filter));
}

/** All payouts of a filter, newest first, a page in memory at a time. */
export async function* streamPayouts(
  { db }: { db: Database },
  owner: PayoutOwner,
  filter: store.PayoutFilter,
): AsyncGenerator<Payout[]> {
  let before = filter.before;
  for (;;) {
    const page = await db.read((sql) => store.readPayouts(sql, owner, { ...filter, before }));
    yield page;
    const last = page.at(-1);
    if (page.length < filter.limit || !last) return;
    before = { createdAt: last.createdAt, id: last.id };
  }
}

/** What operators ask for: the pending ones apart by whether they may be paid now. */
export const PAYOUT_LISTS = ['pending', 'held', 'paid', 'failed'] as const;

export type PayoutList = (typeof PAYOUT_LISTS)[number];

/**
 * Payouts of all partners, or of one, oldest first: the work list of ops. `held` are the pending ones of suspended
 * partners, which are not paid until the partner is resumed; they are not in `pending`.
 */
export function listPayoutsByStatus(
  { db }: { db: Database },
  list: PayoutList,
  scope: { partnerId: string | null; limit: number },
): Promise<Payout[]> {
  const status = list === 'held' ? 'pending' : list;
  const held = status === 'pending' ? list === 'held' : null;
  return store.readByStatus(db.knex, status, { ...scope, held });
}

/** A payout of any partner, for ops. @throws not_found */
export async function getPayoutForOps({ db }: { db: Database }, id: string): Promise<Payout> {
  const payout = await store.readPayout(db.knex, id);
  if (!payout) throw fail('not_found', { message: 'No payout has this id.' });
  return payout;
}

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
  return store.readCommissionPayouts(db.knex, caller, filter);
}
