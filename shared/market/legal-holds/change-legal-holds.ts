import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { areTwoPeople } from '../../people/audit/second-person.ts';
import { conflict } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { insertHold, lockForChange, updateLifted } from './legal-hold.store.ts';
import type { LegalHold, LegalHoldKind } from './legal-hold.ts';
import { isOnLegalHold, readLegalHold } from './read-legal-holds.ts';

/** Lets nobody else place or lift holds until the transaction ends; before any other row is locked. */
export async function lockLegalHolds(uow: UnitOfWork): Promise<void> {
  await lockForChange.send(uow.pipeline);
}

/** What a court or a provider asks for. */
export interface LegalHoldOrder {
  /** A-labels. */
  domain: string;
  kind: LegalHoldKind;
  caseReference: string;
}

/**
 * Writes a hold; nobody else places or lifts one until the transaction ends. The caller then marks what stands of the
 * domain.
 * @throws conflict (already_exists)
 */
export async function writeLegalHold(
  uow: UnitOfWork,
  actor: string,
  order: LegalHoldOrder,
): Promise<LegalHold> {
  await lockLegalHolds(uow);
  const now = uow.realNow;
  const id = newId('legalHold', now);
  const hold = await insertHold.first(uow.sql, { ...order, id, actor, now });
  if (!hold) {
    throw conflict('already_exists', `${order.domain} is on hold for this case already.`);
  }
  return hold;
}

/**
 * Ends a hold, and says whether it was the last one that stands on its domain. Somebody else than the person who placed it
 * lifts it.
 * @throws not_found, conflict (invalid_state)
 */
export async function endLegalHold(
  uow: UnitOfWork,
  actor: string,
  id: string,
): Promise<{ hold: LegalHold; isFree: boolean }> {
  await lockLegalHolds(uow);
  const { placedBy } = await readLegalHold(uow.sql, id);
  if (!(await areTwoPeople(uow, placedBy, actor))) {
    throw conflict(
      'invalid_state',
      'Somebody else has to lift this hold: you placed it, or had the account that did in hand.',
    );
  }
  const hold = await updateLifted.first(uow.sql, { id, actor, now: uow.realNow });
  if (!hold) throw conflict('invalid_state', 'This hold was lifted already.');
  return { hold, isFree: !(await isOnLegalHold(uow.sql, hold.domain)) };
}
