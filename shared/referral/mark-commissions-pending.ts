import type { Tx } from '../platform/db.ts';
import { appendLines, moveToPending } from './commission.store.ts';
import { pendingLines } from './commission.ts';

/**
 * Makes the commissions of settled orders payable; any number of orders at once. Those without a
 * commission, and those whose commission was taken back, are passed over. Call it before the orders' events
 * are recorded: the stream is locked last.
 */
export async function markCommissionsPending(
  tx: Tx,
  orders: readonly { id: string }[],
  now: Date,
): Promise<void> {
  if (orders.length === 0) return;
  const sales = await moveToPending(
    tx,
    orders.map((order) => order.id),
    now,
  );
  await appendLines(tx, sales.flatMap(pendingLines), now);
}
