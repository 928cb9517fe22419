import type { Tx } from '../platform/db.ts';
import type { Money } from '../platform/money.ts';
import * as store from './commission.store.ts';
import type { AffiliateOwner } from './referral-link.ts';

/** Commissions of one currency that wait for a payout. */
export interface PayableCommissions {
  /** Over zero. */
  amount: Money;
  orderIds: readonly string[];
}

/**
 * What an affiliate is to be paid of what became payable by `until`, less what was paid out before and
 * taken back since, one entry a currency; locked until the transaction ends. A currency that comes to
 * nothing or less is left out: what is owed to us waits for the next commissions.
 * {@link assignToPayout} must follow.
 */
export async function lockPayableCommissions(
  tx: Tx,
  owner: AffiliateOwner,
  currency: string | null,
  until: Date,
): Promise<PayableCommissions[]> {
  const byCurrency = new Map<string, { amount: Money; orderIds: string[] }>();
  for (const row of await store.lockPayable(tx, owner, { currency, until })) {
    const code = row.amount.currency;
    const sum = byCurrency.get(code) ?? { amount: row.amount.zero(), orderIds: [] };
    sum.amount = sum.amount.plus(row.amount);
    sum.orderIds.push(row.orderId);
    byCurrency.set(code, sum);
  }
  return [...byCurrency.values()]
    .filter((sum) => sum.amount.amount > 0)
    .sort((a, b) => (a.amount.currency < b.amount.currency ? -1 : 1));
}

/** Notes the payout that pays what {@link lockPayableCommissions} gave, in the same transaction. */
export async function assignToPayout(
  tx: Tx,
  payoutId: string,
  pending: PayableCommissions,
): Promise<void> {
  await store.assignPayout(tx, payoutId, pending.orderIds);
}

/**
 * The payout was paid: its commissions are `paid_out`, and the balance is less by its amount. A second
 * call, and a payout without commissions, change nothing.
 */
export async function markCommissionsPaidOut(tx: Tx, payoutId: string, now: Date): Promise<void> {
  const content = await store.readPayoutContent(tx, payoutId);
  if (!content || !(await store.markPaidOut(tx, payoutId, now))) return;
  const { partnerId, environment, amount } = content;
  await store.appendLines(
    tx,
    [
      {
        partnerId,
        environment,
        type: 'paid_out',
        amount: amount.negated(),
        orderId: null,
        payoutId,
      },
    ],
    now,
  );
}

/**
 * The payment of the payout came back: what it carried is payable again, by another one, and the balance is higher
 * by its amount. A payout without commissions changes nothing.
 */
export async function reversePaidCommissions(tx: Tx, payoutId: string, now: Date): Promise<void> {
  const content = await store.readPayoutContent(tx, payoutId);
  if (!content) return;
  await store.unmarkPaidOut(tx, payoutId, now);
  const { partnerId, environment, amount } = content;
  await store.appendLines(
    tx,
    [{ partnerId, environment, type: 'reversed', amount, orderId: null, payoutId }],
    now,
  );
}

/** The payout failed before it was paid: its commissions became payable now, for another one. */
export async function releaseCommissions(tx: Tx, payoutId: string, now: Date): Promise<void> {
  await store.releaseFromPayout(tx, payoutId, now);
}
