import { type Static, Type } from 'typebox';

const Days = Type.Integer({ minimum: 0, maximum: 3_650 });

/** Stands for every TLD without its own policy. */
export const ANY_TLD = '*';

/** A row of the data file: a version of a TLD's transfer policy. */
export const TransferPolicyFileRow = Type.Object({
  /** In any spelling, or `*` for every TLD without its own policy. */
  tld: Type.String({ minLength: 1, maxLength: 253 }),
  /** The day (UTC) or instant it takes effect; null if adopted without a date. */
  effective_from: Type.Union([
    Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}Z)?$' }),
    Type.Null(),
  ]),
  creation_lock_days: Days,
  transfer_lock_days: Days,
  registrant_change_lock_days: Days,
  auth_code_days: Type.Integer({ minimum: 1, maximum: 3_650 }),
  source: Type.String({ minLength: 1, maxLength: 500 }),
});
export type TransferPolicyFileRow = Static<typeof TransferPolicyFileRow>;

/** The transfer policy of a TLD. */
export interface TransferPolicy {
  /** Days after its creation during which a domain cannot be transferred; 0 means no lock. */
  creationLockDays: number;
  /** Days of lock after a transfer. */
  transferLockDays: number;
  /** Days of lock after a change of registrant. */
  registrantChangeLockDays: number;
  /** The maximum lifetime of an authorization code in days (RFC 9154). */
  authCodeDays: number;
}

/** A version of a TLD's transfer policy. */
export interface TransferPolicyVersion extends TransferPolicy {
  /** A-labels, or {@link ANY_TLD}. */
  tld: string;
  /** Null while it has no date; it is then never in force. */
  effectiveFrom: Date | null;
  /** The source of the policy, as text. */
  source: string;
}

/** All versions of each TLD's transfer policy, earliest effective date first. */
export type TransferPolicies = ReadonlyMap<string, readonly TransferPolicyVersion[]>;

/** The default if no policy is imported: as strict as ICANN's Transfer Policy of 2016. */
const WITHOUT_DATA: TransferPolicy = {
  creationLockDays: 60,
  transferLockDays: 60,
  registrantChangeLockDays: 60,
  authCodeDays: 14,
};

/** Returns the transfer policy of a TLD (A-labels) in force at `instant`: its own, or the default for all TLDs. */
export function transferPolicyOf(
  policies: TransferPolicies,
  tld: string,
  instant: Date,
): TransferPolicy {
  return inForce(policies, tld, instant) ?? inForce(policies, ANY_TLD, instant) ?? WITHOUT_DATA;
}

function inForce(policies: TransferPolicies, tld: string, instant: Date) {
  return policies
    .get(tld)
    ?.findLast(({ effectiveFrom }) => effectiveFrom !== null && effectiveFrom <= instant);
}

/** Returns when the policy of a TLD (A-labels) may next change after `instant`; null if no change is known. */
export function nextPolicyChange(
  policies: TransferPolicies,
  tld: string,
  instant: Date,
): Date | null {
  const starts = [tld, ANY_TLD].flatMap((of) => policies.get(of) ?? []);
  return starts.reduce<Date | null>((next, { effectiveFrom: start }) => {
    const isNext = start !== null && start > instant && (next === null || start < next);
    return isNext ? start : next;
  }, null);
}

/** Returns the days that a TLD locks a new or transferred domain: the longer of the two. */
export function lockDaysOf({ creationLockDays, transferLockDays }: TransferPolicy): number {
  return Math.max(creationLockDays, transferLockDays);
}

/** Returns when a policy last took effect; null if none has. */
export function lastPolicyChange(policies: TransferPolicies, now: Date): Date | null {
  const starts = [...policies.values()].flat().map(({ effectiveFrom }) => effectiveFrom);
  return starts.reduce(
    (latest, start) => (start && start <= now && (!latest || start > latest) ? start : latest),
    null,
  );
}
