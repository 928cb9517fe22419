import { reversePostings } from '../ledger/entry.ts';
import { postEntry } from '../ledger/post-entry.ts';
import type { Tx } from '../platform/db.ts';
import { appendLines, moveToReversed } from './commission.store.ts';
import { referralPostings, reversalLines } from './commission.ts';

/**
 * Takes back the commission of an order that was refunded, cancelled or clawed back. What was paid out
 * already leaves the balance lower, and is kept back from the next payout. An order without a commission
 * changes nothing; nor does a second call. Call it before the order's events are recorded: the stream is
 * locked last.
 */
export async function reverseCommission(tx: Tx, order: { id: string }, now: Date): Promise<void> {
  const sale = await moveToReversed(tx, order.id, now);
  if (!sale || sale.commission.amount === 0) return;
  await appendLines(tx, reversalLines(sale), now);
  await postEntry(
    tx,
    {
      kind: 'referral_reversal',
      reference: order.id,
      partnerId: sale.partnerId,
      environment: sale.environment,
      orderId: order.id,
      postings: reversePostings(referralPostings(sale.commission)),
    },
    now,
  );
}
