import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Party } from '../../people/screening/party.ts';
import { isHeld, recordHits, screenParties } from '../../people/screening/screen-parties.ts';
import { conflict } from '../../platform/errors.ts';
import type { ScreenedPart } from '../../sales/orders/screen-order.ts';
import { selectPayee, selectPayeesAfter } from './payee.store.ts';

/** The names under which a partner is paid. */
type Payee = NonNullable<Awaited<ReturnType<typeof selectPayee.first>>>;

/** Returns the company and the bank account's holder. The provider screens owners of connected accounts. */
function partiesOfPayee({ partnerId, legalName, holder, country }: Payee): Party[] {
  const names = [...new Set([legalName, holder ?? legalName])];
  return names.map((name) => ({
    role: 'payee',
    name,
    kind: null,
    country,
    birthDate: null,
    identity: partnerId,
  }));
}

/**
 * Screens the names of a paid partner or affiliate against the lists; a match holds its LIVE payouts. Returns the
 * number of new matches.
 */
export async function screenPayee(uow: UnitOfWork, partnerId: string): Promise<number> {
  const payee = await selectPayee.first(uow.sql, { partnerId });
  if (!payee?.hasLists) return 0;
  return recordHits(uow, { partnerId }, await screenParties(uow.sql, partiesOfPayee(payee)));
}

/** Screens the next paid partners, by ID, against the lists again. */
export async function screenPayees(
  { db }: { db: Database },
  after: string,
  limit: number,
): Promise<ScreenedPart> {
  const payees = await selectPayeesAfter.all(db.knex, { after, limit });
  let hits = 0;
  for (const { partnerId } of payees) {
    hits += await db.transact((uow) => screenPayee(uow, partnerId));
  }
  return { screened: payees.length, hits, last: payees.at(-1)?.partnerId ?? null };
}

/** Asserts that a payee has no unreleased match. @throws conflict (invalid_state) */
export async function assertPayeeReleased(uow: UnitOfWork, partnerId: string): Promise<void> {
  if (!(await isHeld(uow.sql, { partnerId }))) return;
  throw conflict(
    'invalid_state',
    'The payee may be on a sanctions list. Two people have to release each match first (screening:release).',
  );
}
