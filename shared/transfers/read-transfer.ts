import type { Database } from '../platform/db.ts';
import { findTransfer } from './transfer.store.ts';
import type { Transfer } from './transfer.ts';

/** An order's transfer, for ops and workers; undefined before its start. */
export function readTransfer(
  { db }: { db: Database },
  orderId: string,
): Promise<Transfer | undefined> {
  return findTransfer(db.knex, orderId);
}
