import type { Database } from '../platform/db.ts';
import { foldDeltas } from './transaction.store.ts';

/** Folds up to `limit` changes into the daily tallies; returns how many. Totals are the same before and after. */
export function foldTransactionTallies({ db }: { db: Database }, limit: number): Promise<number> {
  return foldDeltas(db.knex, limit);
}
