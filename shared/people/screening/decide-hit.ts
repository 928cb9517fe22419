import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { conflict } from '../../platform/errors.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { assertSecondPerson } from '../audit/second-person.ts';
import { hitNotFound } from './read-screening.ts';
import {
  type HitStatus,
  selectHitForUpdate,
  updateDecided,
  updateProposed,
} from './screening.store.ts';

/** A locked match. */
export type LockedHit = NonNullable<Awaited<ReturnType<typeof selectHitForUpdate.first>>>;

/**
 * Records the first person's proposal to release a match, because the party is not the one on the list. A newer
 * proposal replaces an older one. A declined match can still be proposed if its decline did not cancel anything.
 * @throws not_found, conflict (invalid_state: it is decided)
 */
export async function proposeRelease(
  uow: UnitOfWork,
  actor: string,
  { hitId: id, reason }: { hitId: string; reason: string },
): Promise<void> {
  await lockWaiting(uow, id, holdsUntilReleased);
  await updateProposed.send(uow.pipeline, { id, proposedBy: actor, reason, now: uow.realNow });
  await recordAudit(uow, { actor, action: 'screening:release', subject: id, after: { reason } });
}

/**
 * Releases a match because the second person agrees. The same party and entry do not hold anything again until the
 * entry changes. @throws not_found, conflict (invalid_state: not proposed, decided, or proposed by the same person)
 */
export async function confirmRelease(
  uow: UnitOfWork,
  actor: string,
  hitId: string,
): Promise<LockedHit> {
  const hit = await lockWaiting(uow, hitId);
  if (hit.proposedBy === null) {
    throw conflict('invalid_state', 'Nobody has proposed to release this hit (screening:release).');
  }
  await assertSecondPerson(uow, hit.proposedBy, actor, 'proposed to release this hit');
  await decide(uow, actor, hit, 'released', null);
  return hit;
}

/** Declines a match: the party may not be served or paid. @throws not_found, conflict (invalid_state: it is decided) */
export async function declineHit(
  uow: UnitOfWork,
  actor: string,
  { hitId, reason }: { hitId: string; reason: string },
): Promise<LockedHit> {
  const hit = await lockWaiting(uow, hitId);
  await decide(uow, actor, hit, 'declined', reason);
  return hit;
}

/** Returns whether a declined match keeps holding its subject, payouts or a domain, instead of canceling it. */
export function holdsUntilReleased({
  orderId,
  checkoutSessionId,
  registrantChangeId,
}: Pick<LockedHit, 'orderId' | 'checkoutSessionId' | 'registrantChangeId'>): boolean {
  return orderId === null && checkoutSessionId === null && registrantChangeId === null;
}

const ACTIONS = { released: 'screening:confirm-release', declined: 'screening:decline' } as const;

async function decide(
  uow: UnitOfWork,
  actor: string,
  { id, list, entryId, status: before, proposedBy }: LockedHit,
  status: keyof typeof ACTIONS,
  reason: string | null,
): Promise<void> {
  const decision = { id, status, decidedBy: actor, reason, now: uow.realNow };
  await updateDecided.send(uow.pipeline, decision);
  await recordAudit(uow, {
    actor,
    action: ACTIONS[status],
    subject: id,
    before: { status: before },
    after: { status, list, entryId, proposedBy, ...(reason !== null && { reason }) },
  });
}

async function lockWaiting(
  uow: UnitOfWork,
  id: string,
  mayComeBack: (hit: LockedHit) => boolean = () => false,
): Promise<LockedHit> {
  const hit = await selectHitForUpdate.first(uow.sql, { id });
  if (!hit) throw hitNotFound();
  const waiting: readonly HitStatus[] = ['open', 'proposed'];
  const isBack = hit.status === 'declined' && mayComeBack(hit);
  if (!isBack && !waiting.includes(hit.status))
    throw conflict('invalid_state', `The hit is ${hit.status}.`);
  return hit;
}
