import type { Database } from '../../delivery/unit-of-work/database.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { lockPayout, updateApproved } from './payout.store.ts';
import { needsApproval, type Payout } from './payout.ts';

/**
 * Lets a large payout be paid, by somebody else than who approves it. Approving again changes nothing.
 * @throws not_found, conflict (`invalid_state`: it needs no approval, has one of somebody else, or is not pending)
 */
export async function approvePayout(
  { db, config }: { db: Database; config: Config },
  actor: string,
  payoutId: string,
): Promise<Payout> {
  return db.transact(async (uow) => {
    const payout = await lockPayout(uow.sql, payoutId);
    if (!payout) throw fail('not_found', { message: 'No payout has this id.' });
    await uow.enterTimeOf(payout);
    if (payout.approvedBy === actor) return payout;
    const refusal = refusalOf(config, payout);
    if (refusal) throw conflict('invalid_state', refusal);
    const { now } = uow;
    await updateApproved.run(uow.sql, { id: payoutId, approvedBy: actor, now });
    const { amount, currency } = payout.amount;
    const after = { amountCents: amount, currency };
    await recordAudit(uow, { actor, action: 'payout:approve', subject: payoutId, after });
    return { ...payout, approvedBy: actor, approvedAt: now };
  });
}

function refusalOf(config: Config, payout: Payout): string | undefined {
  if (payout.status !== 'pending') return `The payout is ${payout.status}.`;
  if (payout.approvedBy !== null) return 'Somebody else approved this payout already.';
  return needsApproval(config, payout) ? undefined : 'This payout needs no approval.';
}

/** @throws conflict (`invalid_state`) unless somebody else than `actor` approved a payout that needs it */
export function assertApproved(config: Config, actor: string, payout: Payout): void {
  if (!needsApproval(config, payout)) return;
  if (payout.approvedBy === null) {
    throw conflict('invalid_state', 'This payout needs an approval first (payout:approve).');
  }
  if (payout.approvedBy === actor) {
    throw conflict('invalid_state', 'You approved this payout. Somebody else has to pay it.');
  }
}
