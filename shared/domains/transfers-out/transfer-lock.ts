import { listTransferPolicies } from '../../market/tlds/transfer-policies.ts';
import { transferPolicyOf } from '../../market/tlds/transfer-policy.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { OwnedDomain } from '../owned-domains/owned-domain.ts';
import { lockedUntil } from '../registrar/transfer-locks.ts';

/** What the rules of a TLD say of a domain's way to another registrar, at an instant. */
export interface TransferOutRules {
  /** Until when it is too new, or came too recently, to go; null when it may. */
  lockedUntil: Date | null;
  /** How many days an authorization code lives. */
  authCodeDays: number;
}

/** The rules for a domain that are in force at `now` of the real clock. */
export async function transferOutRules(
  deps: { db: Database },
  { tld, registeredAt, transferredAt }: Pick<OwnedDomain, 'tld' | 'registeredAt' | 'transferredAt'>,
  now: Date,
): Promise<TransferOutRules> {
  const policy = transferPolicyOf(await listTransferPolicies(deps), tld, now);
  const locks = [
    [registeredAt, policy.creationLockDays],
    [transferredAt, policy.transferLockDays],
  ] as const;
  return { lockedUntil: lockedUntil(locks, now), authCodeDays: policy.authCodeDays };
}
