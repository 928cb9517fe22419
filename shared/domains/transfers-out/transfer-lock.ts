import { listTransferPolicies } from '../../market/tlds/transfer-policies.ts';
import { transferPolicyOf } from '../../market/tlds/transfer-policy.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { findRegistrant } from '../domain-registrants/registered-for.ts';
import { OWNERS_ENVIRONMENT, type OwnedDomain } from '../owned-domains/owned-domain.ts';
import { lockedUntil } from '../registrar/transfer-locks.ts';

/** A TLD's transfer rules for a domain at an instant. */
export interface TransferOutRules {
  /** The end of the lock after creation, transfer or registrant change; null if the domain may move. */
  lockedUntil: Date | null;
  /** The lifetime of an authorization code in days. */
  authCodeDays: number;
}

/** Returns the rules for a domain that apply at `now` of the real clock. */
export async function transferOutRules(
  deps: { db: Database },
  {
    domain,
    tld,
    registeredAt,
    transferredAt,
  }: Pick<OwnedDomain, 'domain' | 'tld' | 'registeredAt' | 'transferredAt'>,
  now: Date,
): Promise<TransferOutRules> {
  const of = { environment: OWNERS_ENVIRONMENT, domain } as const;
  const registrant = await findRegistrant(deps.db.knex, of);
  const policy = transferPolicyOf(await listTransferPolicies(deps), tld, now);
  const locks = [
    [registeredAt, policy.creationLockDays],
    [transferredAt, policy.transferLockDays],
    [registrant?.changedAt ?? null, policy.registrantChangeLockDays],
  ] as const;
  return { lockedUntil: lockedUntil(locks, now), authCodeDays: policy.authCodeDays };
}
