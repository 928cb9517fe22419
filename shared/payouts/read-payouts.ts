import type { Database } from '../platform/db.ts';
import * as store from './payout.store.ts';
import type { Payout, PayoutOwner } from './payout.ts';
import type { PayoutStatus } from './payout-states.ts';

export type { PayoutFilter } from './payout.store.ts';

/** A page of a partner's payouts, newest first. */
export function listPayouts(
  { db }: { db: Database },
  owner: PayoutOwner,
  filter: store.PayoutFilter,
): Promise<Payout[]> {
  return db.read((sql) => store.listPayouts(sql, owner, filter));
}

/** All payouts of a filter, newest first, a page in memory at a time. */
export async function* readAllPayouts(
  { db }: { db: Database },
  owner: PayoutOwner,
  filter: store.PayoutFilter,
): AsyncGenerator<Payout[]> {
  let before = filter.before;
  for (;;) {
    const page = await db.read((sql) => store.listPayouts(sql, owner, { ...filter, before }));
    yield page;
    const last = page.at(-1);
    if (page.length < filter.limit || !last) return;
    before = { createdAt: last.createdAt, id: last.id };
  }
}

/** Payouts of all partners, or of one, in one status, oldest first: the work list of ops. */
export function listPayoutsByStatus(
  { db }: { db: Database },
  status: PayoutStatus,
  scope: { partnerId: string | null; limit: number },
): Promise<Payout[]> {
  return store.listByStatus(db.knex, status, scope);
}
