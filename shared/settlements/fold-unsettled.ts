import type { Database } from '../platform/db.ts';
import { foldUnsettledDeltas } from './unsettled.store.ts';

/** Folds up to `limit` changes into the tallies of running statements; returns how many. Sums are the same before and after. */
export function foldUnsettledTallies({ db }: { db: Database }, limit: number): Promise<number> {
  return foldUnsettledDeltas(db.knex, limit);
}
