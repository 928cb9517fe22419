import { lockLegalHolds } from '../../market/legal-holds/change-legal-holds.ts';
import { findStandingHold } from '../../market/legal-holds/read-legal-holds.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordHits, screenParties } from '../../people/screening/screen-parties.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { liftHold, placeHold } from '../legal-holds/legal-holds.ts';
import { partiesOfRegistrant } from '../registrants/registrant-parties.ts';
import * as store from './domain-registrant.store.ts';
import { openRegistrant } from './registered-for.ts';

type Scope = { db: Database; secrets: SecretBox };

/**
 * Screens the registrants of the next owned LIVE domains, by ID, against the sanctions lists again. A match puts the
 * domain on legal hold: it can be renewed but not sold, moved or changed until two people release every match.
 */
export async function screenRegistrants(
  { db, secrets }: Scope,
  after: string,
  limit: number,
): Promise<{ screened: number; hits: number; last: string | null }> {
  const registrants = await store.selectOwnedAfter.all(db.knex, { after, limit });
  const parties = registrants.map((found) =>
    partiesOfRegistrant(openRegistrant({ secrets }, found)),
  );
  const listed = new Set((await screenParties(db.knex, parties.flat())).map(({ party }) => party));
  let hits = 0;
  for (const [at, { id }] of registrants.entries()) {
    if (!parties[at]?.some((party) => listed.has(party))) continue;
    hits += await db.transact((uow) => holdIfListed(uow, { secrets }, id));
  }
  return { screened: registrants.length, hits, last: registrants.at(-1)?.id ?? null };
}

/** Places a legal hold if the registrant matches a list. Returns the number of new matches. */
async function holdIfListed(
  uow: UnitOfWork,
  deps: { secrets: SecretBox },
  id: string,
): Promise<number> {
  await lockLegalHolds(uow);
  const found = await store.selectRegistrantById.first(uow.sql, { id });
  if (!found) return 0;
  const matches = await screenParties(uow.sql, partiesOfRegistrant(openRegistrant(deps, found)));
  if (matches.length === 0) return 0;
  const of = { domain: found.domain, caseReference: id };
  if ((await findStandingHold(uow.sql, of)) === undefined) {
    await placeHold(uow, 'worker', { ...of, kind: 'sanctions' });
  }
  return recordHits(uow, { partnerId: null, domainRegistrantId: id }, matches);
}

/** Lifts a domain's hold after two people have released the matches. Legal holds must be locked. */
export async function releaseRegistrant(uow: UnitOfWork, actor: string, id: string): Promise<void> {
  const found = await store.selectRegistrantById.first(uow.sql, { id });
  const of = found && { domain: found.domain, caseReference: id };
  const hold = of && (await findStandingHold(uow.sql, of));
  if (hold !== undefined) await liftHold(uow, actor, hold);
}
