import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Caller } from '../../people/partners/credential.ts';
import { fail } from '../../platform/errors.ts';
import {
  cutPage,
  idOf,
  type ListPage,
  type Page,
  readAllPages,
  readPage,
  type TimePosition,
  timeOf,
} from '../../platform/page.ts';
import { assertAffiliate } from '../../sales/referral/referral-link.ts';
import * as store from './payout.store.ts';
import type { Payout, PayoutOwner } from './payout.ts';

export type { CommissionPayout, OpsPayout } from './payout.store.ts';

/** Returns a page of a partner's payouts, newest first. */
export function listPayouts(
  { db }: { db: Database },
  owner: PayoutOwner,
  filter: store.PayoutFilter,
): Promise<Page<Payout, TimePosition>> {
  const read = (limit: number) =>
    db.read((sql) => store.readPayouts(sql, owner, { ...filter, limit }));
  return readPage(filter.limit, read, timeOf);
}

/** Returns a partner's payout. @throws not_found, also for another partner's */
export async function getPayout(
  { db }: { db: Database },
  owner: PayoutOwner,
  id: string,
): Promise<Payout> {
  const payout = await store.readOwnPayout(db.knex, owner, id);
  if (!payout) throw payoutNotFound();
  return payout;
}

/** Streams all payouts of a filter, newest first, `limit` in memory at a time. */
export function streamPayouts(
  deps: { db: Database },
  owner: PayoutOwner,
  filter: Omit<store.PayoutFilter, 'before'>,
): AsyncGenerator<Payout[]> {
  return readAllPages((before: TimePosition | null) =>
    listPayouts(deps, owner, { ...filter, before }),
  );
}

/** The operators' lists: pending payouts are split by whether they can be paid now. */
export const PAYOUT_LISTS = ['pending', 'held', 'paid', 'failed'] as const;

export type PayoutList = (typeof PAYOUT_LISTS)[number];

/**
 * Returns a page of the payouts of all partners, or of one: the operators' work list. `held` are the pending ones that
 * cannot be paid now (suspended partner, disputed payment, unreleased sanctions match); `pending` excludes them.
 */
export function listPayoutsByStatus(
  { db }: { db: Database },
  list: PayoutList,
  filter: store.OpsPayoutFilter,
  page: ListPage,
): Promise<Page<store.OpsPayout>> {
  const status = list === 'held' ? 'pending' : list;
  const held = status === 'pending' ? list === 'held' : null;
  const read = (limit: number) =>
    store.readByStatus(db.knex, status, { ...filter, held }, { ...page, limit });
  return readPage(page.limit, read, idOf);
}

/** Returns a payout of any partner, for operators. @throws not_found */
export async function getPayoutForOps({ db }: { db: Database }, id: string): Promise<Payout> {
  const payout = await store.readPayout(db.knex, id);
  if (!payout) throw payoutNotFound();
  return payout;
}

function payoutNotFound() {
  return fail('not_found', { message: 'No payout has this ID.' });
}

/**
 * Returns a page of the caller's payouts of referral commissions, newest first, and the total ever paid in
 * one currency. @throws forbidden (no affiliate account)
 */
export async function listCommissionPayouts(
  { db }: { db: Database },
  caller: Caller,
  filter: store.CommissionPayoutFilter,
): Promise<Page<store.CommissionPayout, TimePosition> & { totalPaidCents: number }> {
  assertAffiliate(caller);
  const wanted = { ...filter, limit: filter.limit + 1 };
  const { payouts, totalPaidCents } = await store.readCommissionPayouts(db.knex, caller, wanted);
  return { ...cutPage(payouts, filter.limit, timeOf), totalPaidCents };
}
