import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, HOUR } from '../../platform/clock.ts';
import { listTransferPolicies } from '../tlds/transfer-policies.ts';
import { lastPolicyChange } from '../tlds/transfer-policy.ts';
import {
  selectUncheckedRegistrations,
  touchRegistrations,
  updateLockedUntil,
  updateRegistrations,
} from './listing.store.ts';
import type { ListingRegistration } from './listing.ts';

/** How often the registry is asked about a LIVE listing: where a domain is changes rarely, and a sale asks again. */
export const REGISTRATION_CHECK_MS = 6 * HOUR;

/**
 * Up to `limit` LIVE domains on the market whose registration was not looked at for {@link REGISTRATION_CHECK_MS}, or
 * not since the rules of transfers changed.
 */
export async function listUncheckedDomains(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<string[]> {
  const now = clock.now();
  const due = addMs(now, -REGISTRATION_CHECK_MS);
  const changed = lastPolicyChange(await listTransferPolicies({ db }), now);
  const before = changed && changed > due ? changed : due;
  const rows = await selectUncheckedRegistrations.all(db.knex, { before, limit });
  return rows.map(({ domain }) => domain);
}

/** What a registry said of a listing; of its fees perhaps nothing, and then what it said before stands. */
type Told = Omit<ListingRegistration, 'premium'> & Partial<Pick<ListingRegistration, 'premium'>>;

/** Notes what the registry says of LIVE domains (A-labels) on the market. */
export async function recordRegistrations(
  { db, clock }: { db: Database; clock: Clock },
  registrations: readonly ({ domain: string } & Told)[],
): Promise<void> {
  const rows = registrations.map(({ lockedUntil, later, premium, ...rest }) => ({
    ...rest,
    locked_until: lockedUntil,
    rules_change_at: later?.from ?? null,
    then_locked_until: later?.lockedUntil ?? null,
    fees_told: premium !== undefined,
    premium: premium
      ? {
          class: premium.class,
          renewal_cents: premium.renewalFee?.amount ?? null,
          currency: premium.renewalFee?.currency ?? null,
        }
      : null,
  }));
  await updateRegistrations.run(db.knex, { registrations: rows, now: clock.now() });
}

/** Notes that a LIVE domain (A-labels), if it is on the market, cannot be transferred until an instant. */
export async function lockListingUntil(
  uow: UnitOfWork,
  domain: string,
  until: Date,
): Promise<void> {
  await updateLockedUntil.run(uow.sql, { domain, until });
}

/**
 * Notes that the registry was asked about LIVE domains (A-labels) on the market without a word that can be read: what it
 * said before stands, and they are asked about again when all others are.
 */
export async function markRegistrationsChecked(
  { db, clock }: { db: Database; clock: Clock },
  domains: readonly string[],
): Promise<void> {
  if (domains.length === 0) return;
  await touchRegistrations.run(db.knex, { domains, now: clock.now() });
}
