import type { Tx } from '../platform/db.ts';
import { hasSaleSince } from './order.store.ts';

/** Whether a listing was sold since an instant, and is so still. */
export function wasSoldSince(tx: Tx, listingId: number, since: Date): Promise<boolean> {
  return hasSaleSince(tx, listingId, since);
}
