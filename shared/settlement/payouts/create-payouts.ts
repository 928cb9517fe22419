import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { postEntry } from '../../money/ledger/post-entry.ts';
import { newId } from '../../platform/ids.ts';
import type { Money } from '../../platform/money.ts';
import type { PaymentModel } from '../../sales/orders/order.ts';
import {
  assignToPayout,
  lockPayableCommissions,
} from '../../sales/referral/commission-lifecycle.ts';
import { writePayout } from './payout.store.ts';
import { type Payout, type PayoutOwner, type PayoutSource, payableAccount } from './payout.ts';
import { screenPayee } from './screen-payee.ts';
import {
  lockOpenBalances,
  type OpenBalance,
  updateAssigned,
  writePayables,
} from './settlement-payable.store.ts';

/**
 * Records the commissions of a closed statement (for sales that we collected), and creates payouts for the open
 * balance in its currency. A source whose balance is not positive gets no payout; its balance is carried forward.
 */
export async function createStatementPayouts(
  uow: UnitOfWork,
  statement: PayoutOwner & { id: string; currency: string },
  commissions: readonly { model: PaymentModel; amount: Money }[],
): Promise<Payout[]> {
  const amounts = commissions.flatMap(({ model, amount }) =>
    model === 'merchant_of_record' || amount.amount === 0 ? [] : [{ source: model, amount }],
  );
  if (amounts.length > 0) await writePayables(uow.sql, statement, amounts);
  const scope = { currency: statement.currency, releasedBy: null };
  const open = await lockOpenBalances(uow.sql, statement, scope);
  return createPayouts(uow, statement, open, { settlementId: statement.id, now: uow.now });
}

/** Creates new payouts for those that failed until `by`, unless a statement has already done so. */
export async function retryFailedPayouts(
  uow: UnitOfWork,
  owner: PayoutOwner,
  by: Date,
): Promise<Payout[]> {
  const open = await lockOpenBalances(uow.sql, owner, { currency: null, releasedBy: by });
  return createPayouts(uow, owner, open, { settlementId: null, now: uow.now });
}

async function createPayouts(
  uow: UnitOfWork,
  owner: PayoutOwner,
  open: readonly OpenBalance[],
  at: { settlementId: string | null; now: Date },
): Promise<Payout[]> {
  const payouts: Payout[] = [];
  for (const balance of open) {
    const payout = await createPayout(uow, owner, balance, at);
    await updateAssigned.send(uow.pipeline, { ...balance, payoutId: payout.id });
    payouts.push(payout);
  }
  return payouts;
}

/**
 * Creates a pending payout with its ledger entry, from owed to in transit. A sanctions match of its payee holds
 * it. The amount is in minor units, above 0.
 */
export async function createPayout(
  uow: UnitOfWork,
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
    fileId: null,
    sentTo: null,
    approvedBy: null,
    approvedBank: null,
    approvedProvider: null,
    approvedAt: null,
    createdAt: now,
    paidAt: null,
    failedAt: null,
  };
  await writePayout(uow.sql, payout);
  if (environment === 'LIVE') await screenPayee(uow, partnerId);
  await postEntry(uow, {
    kind: 'payout',
    reference: payout.id,
    partnerId,
    environment,
    orderId: null,
    postings: [
      { account: payableAccount(source), amount },
      { account: 'payouts_in_transit', amount: amount.negated() },
    ],
  });
  return payout;
}

/** Creates a payout per currency for an affiliate's referral commissions that became payable by `until`. */
export async function createCommissionPayouts(
  uow: UnitOfWork,
  owner: PayoutOwner,
  until: Date,
  now: Date,
): Promise<Payout[]> {
  const payouts: Payout[] = [];
  for (const pending of await lockPayableCommissions(uow, owner, null, until)) {
    const balance = { source: 'referral' as const, amount: pending.amount };
    const payout = await createPayout(uow, owner, balance, { settlementId: null, now });
    await assignToPayout(uow, payout.id, pending);
    payouts.push(payout);
  }
  return payouts;
}
