import type { Database } from '../../messaging/unit-of-work/database.ts';
import { cutPage, type Page, readAllPages, readPage } from '../../platform/page.ts';
import * as store from './transaction.store.ts';
import type {
  Transaction,
  TransactionFilter,
  TransactionOwner,
  TransactionPage,
  TransactionPosition,
  TransactionTotals,
} from './transaction.ts';

/** Returns a page of a partner's transactions, newest first, with the totals over the whole filter. */
export async function readTransactions(
  { db }: { db: Database },
  owner: TransactionOwner,
  filter: TransactionFilter,
  page: TransactionPage,
): Promise<Page<Transaction, TransactionPosition> & { totals: TransactionTotals[] }> {
  const wanted = { ...page, limit: page.limit + 1 };
  const found = await db.read((sql) => store.readTransactions(sql, owner, filter, wanted));
  return { ...cutPage(found.transactions, page.limit, positionOf), totals: found.totals };
}

/** Streams all transactions of a filter, newest first, one page in memory at a time. */
export function streamTransactions(
  { db }: { db: Database },
  owner: TransactionOwner,
  filter: TransactionFilter,
  pageSize: number,
): AsyncGenerator<Transaction[]> {
  return readAllPages((before: TransactionPosition | null) => {
    const read = (limit: number) =>
      db.read((sql) => store.readPage(sql, owner, filter, { before, limit }));
    return readPage(pageSize, read, positionOf);
  });
}

function positionOf({ createdAt, orderId, type }: Transaction): TransactionPosition {
  return { createdAt, orderId, reversal: type !== 'sale' };
}

/** Folds up to `limit` changes into the daily tallies; returns how many. Does not change the totals. */
export async function foldTransactionTallies(
  { db }: { db: Database },
  limit: number,
): Promise<number> {
  return (await store.foldDeltas.one(db.knex, { limit })).folded;
}
