import type { Database } from '../../delivery/unit-of-work/database.ts';
import * as store from './transaction.store.ts';
import type {
  Transaction,
  TransactionFilter,
  TransactionOwner,
  TransactionPage,
  TransactionPosition,
  TransactionTotals,
} from './transaction.ts';

/** A page of a partner's transactions, newest first, with the totals over the whole filter. */
export async function readTransactions(
  { db }: { db: Database },
  owner: TransactionOwner,
  filter: TransactionFilter,
  page: TransactionPage,
): Promise<{
  transactions: Transaction[];
  totals: TransactionTotals[];
  next: TransactionPosition | null;
}> {
  const wanted = { ...page, limit: page.limit + 1 };
  const found = await db.read((sql) => store.readTransactions(sql, owner, filter, wanted));
  const transactions = found.transactions.slice(0, page.limit);
  const last = transactions.at(-1);
  const more = found.transactions.length > page.limit;
  return { transactions, totals: found.totals, next: more && last ? positionOf(last) : null };
}

/** All transactions of a filter, newest first, a page in memory at a time. */
export async function* streamTransactions(
  { db }: { db: Database },
  owner: TransactionOwner,
  filter: TransactionFilter,
  pageSize: number,
): AsyncGenerator<Transaction[]> {
  let before: TransactionPosition | null = null;
  for (;;) {
    const page: Transaction[] = await db.read((sql) =>
      store.readPage(sql, owner, filter, { before, limit: pageSize }),
    );
    yield page;
    const last = page.at(-1);
    if (page.length < pageSize || !last) return;
    before = positionOf(last);
  }
}

function positionOf({ createdAt, orderId, type }: Transaction): TransactionPosition {
  return { createdAt, orderId, reversal: type !== 'sale' };
}

/** Folds up to `limit` changes into the daily tallies; returns how many. Totals are the same before and after. */
export async function foldTransactionTallies(
  { db }: { db: Database },
  limit: number,
): Promise<number> {
  return (await store.foldDeltas.one(db.knex, { limit })).folded;
}
