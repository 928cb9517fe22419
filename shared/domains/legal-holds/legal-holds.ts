import {
  liftLegalHoldOfListing,
  putListingOnLegalHold,
} from '../../market/inventory/change-listings.ts';
import {
  endLegalHold,
  type LegalHoldOrder,
  writeLegalHold,
} from '../../market/legal-holds/change-legal-holds.ts';
import type { LegalHold } from '../../market/legal-holds/legal-hold.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { isHeld } from '../../people/screening/screen-parties.ts';
import { conflict } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { lockOwnedDomain } from '../owned-domains/manage-owned-domains.ts';
import { enforceLegalHoldJob } from './legal-hold.jobs.ts';

/**
 * Places a legal hold on a LIVE domain, listed or not, whoever owns it. From the commit on it cannot be sold, moved
 * or changed; a job locks it at the registry too. Its registration is still renewed, so that it does not lapse.
 * @throws conflict (already_exists)
 */
export function placeLegalHold(
  { db }: { db: Database },
  actor: string,
  order: LegalHoldOrder,
): Promise<LegalHold> {
  return db.transact((uow) => placeHold(uow, actor, order));
}

/** Like {@link placeLegalHold}, in a transaction with no rows locked except holds. @throws conflict (already_exists) */
export async function placeHold(
  uow: UnitOfWork,
  actor: string,
  order: LegalHoldOrder,
): Promise<LegalHold> {
  const hold = await writeLegalHold(uow, actor, order);
  const { id: holdId, domain, kind, caseReference } = hold;
  await putListingOnLegalHold(uow, domain);
  await lockOwnedDomain(uow, domain);
  uow.jobs.add(enforceLegalHoldJob, { holdId });
  await recordAudit(uow, {
    actor,
    action: 'legal-hold:place',
    subject: `LIVE:${domain}`,
    after: { hold: holdId, kind, case_reference: caseReference },
  });
  return hold;
}

/**
 * Lifts a hold. If it is the last one on its domain, every operation is possible again, and a listing that was on the
 * market returns to it.
 * @throws not_found, conflict (invalid_state) if it is already lifted, if the person who placed it tries to lift it, or
 *   while a sanctions match of the registrant is not released
 */
export async function liftLegalHold(
  { db }: { db: Database },
  actor: string,
  id: string,
): Promise<LegalHold> {
  return db.transact(async (uow) => {
    const hold = await liftHold(uow, actor, id);
    const { kind, caseReference } = hold;
    const isScreening = kind === 'sanctions' && isId('registrant', caseReference);
    const match = { partnerId: null, domainRegistrantId: caseReference };
    if (isScreening && (await isHeld(uow.sql, match))) {
      throw conflict(
        'invalid_state',
        'The registrant may be on a sanctions list. Two people have to release each match (screening:release), which lifts the hold.',
      );
    }
    return hold;
  });
}

/** Like {@link liftLegalHold}, in a transaction and for any hold. @throws not_found, conflict (invalid_state) */
export async function liftHold(uow: UnitOfWork, actor: string, id: string): Promise<LegalHold> {
  const { hold, isFree } = await endLegalHold(uow, actor, id);
  const { domain, kind, caseReference } = hold;
  if (isFree) {
    await liftLegalHoldOfListing(uow, domain);
    uow.jobs.add(enforceLegalHoldJob, { holdId: id });
  }
  await recordAudit(uow, {
    actor,
    action: 'legal-hold:lift',
    subject: `LIVE:${domain}`,
    before: { hold: id, kind, case_reference: caseReference },
  });
  return hold;
}
