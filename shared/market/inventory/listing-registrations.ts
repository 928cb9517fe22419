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

/** How often we ask the registry about a LIVE listing. Registrations change rarely, and a sale asks again. */
export const REGISTRATION_CHECK_MS = 6 * HOUR;

/**
 * Returns up to `limit` LIVE domains on the market whose registration was not checked for {@link
 * REGISTRATION_CHECK_MS}, or not since the transfer policies changed.
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

/** A registry's data about a listing. Without `premium`, the stored premium terms stay. */
type Told = Omit<ListingRegistration, 'premium'> & Partial<Pick<ListingRegistration, 'premium'>>;

/** Records what the registry says about LIVE domains (A-labels) on the market. */
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

/** Records that a LIVE domain (A-labels), if it is on the market, cannot be transferred until `until`. */
export async function lockListingUntil(
  uow: UnitOfWork,
  domain: string,
  until: Date,
): Promise<void> {
  await updateLockedUntil.run(uow.sql, { domain, until });
}

/**
 * Records that the registry's answers about LIVE domains (A-labels) on the market were unreadable. The stored data
 * stays, and the domains are checked again after all others.
 */
export async function markRegistrationsChecked(
  { db, clock }: { db: Database; clock: Clock },
  domains: readonly string[],
): Promise<void> {
  if (domains.length === 0) return;
  await touchRegistrations.run(db.knex, { domains, now: clock.now() });
}
