import { type Static, Type } from 'typebox';

const Days = Type.Integer({ minimum: 0, maximum: 3_650 });

/** Stands for every TLD without rules of its own. */
export const ANY_TLD = '*';

/** A row of the data file: a version of the rules of a TLD. */
export const TransferPolicyFileRow = Type.Object({
  /** In any spelling, or `*` for every TLD without rules of its own. */
  tld: Type.String({ minLength: 1, maxLength: 253 }),
  /** The day (UTC) or instant from which it is in force; null while it is adopted but has no date. */
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

/** What a TLD allows of transfers. */
export interface TransferPolicy {
  /** How many days after its creation a domain cannot be transferred; 0 is no lock. */
  creationLockDays: number;
  /** The same after a transfer. */
  transferLockDays: number;
  /** The same after a change of its registrant. */
  registrantChangeLockDays: number;
  /** How many days an authorization code lives at most (RFC 9154). */
  authCodeDays: number;
}

/** A version of the rules of a TLD. */
export interface TransferPolicyVersion extends TransferPolicy {
  /** A-labels, or {@link ANY_TLD}. */
  tld: string;
  /** Null while it has no date: such a version is never in force. */
  effectiveFrom: Date | null;
  /** Where the rules are from, in words. */
  source: string;
}

/** All versions of the rules of each TLD, those in force the longest first. */
export type TransferPolicies = ReadonlyMap<string, readonly TransferPolicyVersion[]>;

/** Where nobody has imported any rules: as strict as ICANN's Transfer Policy of 2016. */
const WITHOUT_DATA: TransferPolicy = {
  creationLockDays: 60,
  transferLockDays: 60,
  registrantChangeLockDays: 60,
  authCodeDays: 14,
};

/** The rules of a TLD (A-labels) that are in force at `instant`: its own, or those of all others. */
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

/** When the rules of a TLD (A-labels) may next be others than those of `instant`; null when nothing is known to come. */
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

/** For how many days a TLD locks a domain that is new, or was transferred: the longer of the two. */
export function lockDaysOf({ creationLockDays, transferLockDays }: TransferPolicy): number {
  return Math.max(creationLockDays, transferLockDays);
}

/** When rules last came into force; null when none are. */
export function lastPolicyChange(policies: TransferPolicies, now: Date): Date | null {
  const starts = [...policies.values()].flat().map(({ effectiveFrom }) => effectiveFrom);
  return starts.reduce(
    (latest, start) => (start && start <= now && (!latest || start > latest) ? start : latest),
    null,
  );
}
