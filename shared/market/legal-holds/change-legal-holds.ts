import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { areTwoPeople } from '../../people/audit/second-person.ts';
import { conflict } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { insertHold, lockForChange, updateLifted } from './legal-hold.store.ts';
import type { LegalHold, LegalHoldKind } from './legal-hold.ts';
import { isOnLegalHold, readLegalHold } from './read-legal-holds.ts';

/** Keeps others from placing or lifting holds until the transaction ends. Call it before locking any other row. */
export async function lockLegalHolds(uow: UnitOfWork): Promise<void> {
  await lockForChange.send(uow.pipeline);
}

/** A request by a court or provider to hold a domain. */
export interface LegalHoldOrder {
  /** A-labels. */
  domain: string;
  kind: LegalHoldKind;
  caseReference: string;
}

/**
 * Writes a hold and keeps others from changing holds until the transaction ends. The caller then marks the domain's
 * other records.
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
    throw conflict('already_exists', `${order.domain} is already on hold for this case.`);
  }
  return hold;
}

/**
 * Lifts a hold and returns whether it was the domain's last active one. The person who placed a hold can't lift it.
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
      'Another person has to lift this hold: you placed it, or recently changed the account that did.',
    );
  }
  const hold = await updateLifted.first(uow.sql, { id, actor, now: uow.realNow });
  if (!hold) throw conflict('invalid_state', 'This hold was already lifted.');
  return { hold, isFree: !(await isOnLegalHold(uow.sql, hold.domain)) };
}
