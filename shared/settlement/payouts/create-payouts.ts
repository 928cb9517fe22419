import { postEntry } from '../../money/ledger/post-entry.ts';
import type { Tx } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Money } from '../../platform/money.ts';
import {
  assignToPayout,
  lockPayableCommissions,
} from '../../sales/referral/commission-lifecycle.ts';
import {
  assignPayables,
  insertPayables,
  insertPayout,
  lockOpenBalances,
  type OpenBalance,
} from './payout.store.ts';
import {
  type Payout,
  type PayoutOwner,
  type PayoutSource,
  payableAccount,
  type SaleSource,
} from './payout.ts';

/**
 * Notes what a closed statement adds to the commissions that we owe, and pays out what is open in its
 * currency. A source that comes to nothing or less gets no payout: it is carried into the next one.
 */
export async function createStatementPayouts(
  tx: Tx,
  statement: PayoutOwner & { id: string; currency: string },
  commissions: readonly { source: SaleSource; amount: Money }[],
  now: Date,
): Promise<Payout[]> {
  const amounts = commissions.filter(({ amount }) => amount.amount !== 0);
  if (amounts.length > 0) await insertPayables(tx, statement, amounts);
  const scope = { currency: statement.currency, releasedBy: null };
  const open = await lockOpenBalances(tx, statement, scope);
  return createPayouts(tx, statement, open, { settlementId: statement.id, now });
}

/** Pays again what payouts that failed until `by` had been for, where no statement has done so. */
export async function retryFailedPayouts(
  tx: Tx,
  owner: PayoutOwner,
  by: Date,
  now: Date,
): Promise<Payout[]> {
  const open = await lockOpenBalances(tx, owner, { currency: null, releasedBy: by });
  return createPayouts(tx, owner, open, { settlementId: null, now });
}

async function createPayouts(
  tx: Tx,
  owner: PayoutOwner,
  open: readonly OpenBalance[],
  at: { settlementId: string | null; now: Date },
): Promise<Payout[]> {
  const payouts: Payout[] = [];
  for (const balance of open) {
    const payout = await createPayout(tx, owner, balance, at);
    await assignPayables(tx, payout.id, balance);
    payouts.push(payout);
  }
  return payouts;
}

/** A pending payout with its ledger entry: from what we owe to what is on its way. Amount in minor units, over 0. */
export async function createPayout(
  tx: Tx,
  { partnerId, environment }: PayoutOwner,
  balance: { source: PayoutSource; amount: Money },
  { settlementId, now }: { settlementId: string | null; now: Date },
): Promise<Payout> {
  const { source, amount } = balance;
  const payout: Payout = {
    id: newId('payout', now),
    partnerId,
    environment,
    source,
    amount,
    status: 'pending',
    settlementId,
    reference: null,
    reversalReference: null,
    failureReason: null,
    createdAt: now,
    paidAt: null,
    failedAt: null,
  };
  await insertPayout(tx, payout);
  await postEntry(
    tx,
    {
      kind: 'payout',
      reference: payout.id,
      partnerId,
      environment,
      orderId: null,
      postings: [
        { account: payableAccount(source), amount },
        { account: 'payouts_in_transit', amount: amount.negated() },
      ],
    },
    now,
  );
  return payout;
}

/** Makes a payout in each currency of the referral commissions of an affiliate that became payable by `until`. */
export async function createCommissionPayouts(
  tx: Tx,
  owner: PayoutOwner,
  until: Date,
  now: Date,
): Promise<Payout[]> {
  const payouts: Payout[] = [];
  for (const pending of await lockPayableCommissions(tx, owner, null, until)) {
    const balance = { source: 'referral' as const, amount: pending.amount };
    const payout = await createPayout(tx, owner, balance, { settlementId: null, now });
    await assignToPayout(tx, payout.id, pending);
    payouts.push(payout);
  }
  return payouts;
}
