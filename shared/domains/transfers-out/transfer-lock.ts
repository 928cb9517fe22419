import { listTransferPolicies } from '../../market/tlds/transfer-policies.ts';
import { transferPolicyOf } from '../../market/tlds/transfer-policy.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { findRegistrant } from '../domain-registrants/registered-for.ts';
import { OWNERS_ENVIRONMENT, type OwnedDomain } from '../owned-domains/owned-domain.ts';
import { lockedUntil } from '../registrar/transfer-locks.ts';

/** What the rules of a TLD say of a domain's way to another registrar, at an instant. */
export interface TransferOutRules {
  /** Until when it is too new, or came or changed its registrant too recently, to go; null when it may. */
  lockedUntil: Date | null;
  /** How many days an authorization code lives. */
  authCodeDays: number;
}

/** The rules for a domain that are in force at `now` of the real clock. */
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
