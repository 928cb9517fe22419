import type { Tx } from '../platform/db.ts';
import { updateReferralLink } from './order.store.ts';

/** Notes on an order which link it came by. */
export async function attachReferralLink(tx: Tx, orderId: string, linkId: string): Promise<void> {
  await updateReferralLink(tx, orderId, linkId);
}
