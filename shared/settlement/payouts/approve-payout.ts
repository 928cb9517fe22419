import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { assertSecondPerson } from '../../people/audit/second-person.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { type Destination, readDestinations, refusalOfDestination } from './destination.ts';
import { lockPayout, updateApproved } from './payout.store.ts';
import { needsApproval, type Payout } from './payout.ts';

/**
 * Approves a large payout to the partner's current accounts; a person other than the approver then pays it. The
 * approver must not have set either account. Approving again changes nothing.
 * @throws not_found, conflict (`invalid_state`: it needs no approval, somebody else approved it, it is not pending, or
 * an account is new and may not be paid yet)
 */
export async function approvePayout(
  { db, config }: { db: Database; config: Config },
  actor: string,
  payoutId: string,
): Promise<Payout> {
  return db.transact(async (uow) => {
    const payout = await lockPayout(uow.sql, payoutId);
    if (!payout) throw fail('not_found', { message: 'No payout has this ID.' });
    await uow.enterTimeOf(payout);
    const destinations = await readDestinations(uow.sql, payout.partnerId);
    const stands = isApprovedFor(payout, destinations);
    if (stands && payout.approvedBy === actor) return payout;
    const refusal = refusalOf(config, payout, stands);
    if (refusal) throw conflict('invalid_state', refusal);
    for (const destination of destinations) {
      const waits = refusalOfDestination(config, destination, uow.realNow);
      if (waits) throw conflict('invalid_state', waits);
      await assertSecondPerson(uow, destination.setBy, actor, `set the ${destination.name}`);
    }
    const { now } = uow;
    const covered = {
      approvedBank: revisionOf(destinations, 'bank'),
      approvedProvider: revisionOf(destinations, 'provider'),
    };
    await updateApproved.send(uow.pipeline, { id: payoutId, approvedBy: actor, ...covered, now });
    const { amount, currency } = payout.amount;
    const after = { amountCents: amount, currency, to: destinations.map(({ name }) => name) };
    await recordAudit(uow, { actor, action: 'payout:approve', subject: payoutId, after });
    return { ...payout, approvedBy: actor, ...covered, approvedAt: now };
  });
}

function refusalOf(config: Config, payout: Payout, isApproved: boolean): string | undefined {
  if (payout.status !== 'pending') return `The payout is ${payout.status}.`;
  if (isApproved) return 'Someone else already approved this payout.';
  return needsApproval(config, payout) ? undefined : 'This payout needs no approval.';
}

const revisionOf = (destinations: readonly Destination[], kind: Destination['kind']) =>
  destinations.find((each) => each.kind === kind)?.revision ?? null;

/** Returns whether a payout is approved for exactly these accounts. */
export function isApprovedFor(payout: Payout, destinations: readonly Destination[]): boolean {
  if (payout.approvedBy === null) return false;
  return destinations.every(
    ({ kind, revision }) =>
      revision === (kind === 'bank' ? payout.approvedBank : payout.approvedProvider),
  );
}

/**
 * Asserts that a payout that needs approval was approved for exactly these accounts by somebody other than `actor`.
 * @throws conflict (`invalid_state`)
 */
export async function assertApproved(
  uow: UnitOfWork,
  config: Config,
  actor: string,
  payout: Payout,
  destinations: readonly Destination[],
): Promise<void> {
  if (!needsApproval(config, payout)) return;
  if (!isApprovedFor(payout, destinations)) {
    throw conflict('invalid_state', 'This payout needs an approval first (payout:approve).');
  }
  if (payout.approvedBy === actor) {
    throw conflict('invalid_state', 'You approved this payout. Another person has to pay it.');
  }
  await assertSecondPerson(uow, payout.approvedBy, actor, 'approved this payout');
}
