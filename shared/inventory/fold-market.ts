import type { Database } from '../platform/db.ts';
import { foldDeltas } from './market.store.ts';

/** Folds up to `limit` changes of the market into its tallies; returns how many. Totals stay the same. */
export function foldMarket({ db }: { db: Database }, limit: number): Promise<number> {
  return foldDeltas(db.knex, limit);
}
