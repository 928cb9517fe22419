import { addMs, DAY } from '../../platform/clock.ts';
import type { DomainInfo, DomainStatus } from '../epp/epp-objects.ts';
import type { TransferRules } from './registrar.ts';

const ALWAYS: readonly DomainStatus[] = ['pendingCreate', 'pendingDelete', 'pendingTransfer'];
/** Statuses that prevent a push, which is an update of the domain in our account. */
const AGAINST_PUSH: readonly DomainStatus[] = [
  ...ALWAYS,
  'pendingUpdate',
  'clientUpdateProhibited',
  'serverUpdateProhibited',
];
const AGAINST_TRANSFER: readonly DomainStatus[] = [
  ...ALWAYS,
  'clientTransferProhibited',
  'serverTransferProhibited',
];

/** The locks that prevent delivery of a domain. */
export interface TransferLocks {
  /** The first status that prevents it. */
  status: DomainStatus | null;
  /** The end of the lock after creation or the last transfer; null if not locked. */
  until: Date | null;
}

/** Returns the locks against a push (for a domain in our account) or a transfer to us, by the rules at `now`. */
export function transferLocks(
  info: DomainInfo,
  clientId: string,
  { creationLockDays, transferLockDays }: Omit<TransferRules, 'until'>,
  now: Date,
): TransferLocks {
  const isOurs = info.clID === clientId;
  const forbidding = isOurs ? AGAINST_PUSH : AGAINST_TRANSFER;
  const status = info.statuses.find((each) => forbidding.includes(each)) ?? null;
  if (isOurs) return { status, until: null };
  const { createdAt, transferredAt } = info;
  const until = lockedUntil(
    [
      [createdAt, creationLockDays],
      [transferredAt, transferLockDays],
    ],
    now,
  );
  return { status, until };
}

/** Returns when the last of several locks ends, each of some days from its start; null if none is left. */
export function lockedUntil(
  locks: readonly (readonly [since: Date | null, days: number])[],
  now: Date,
): Date | null {
  const ends = locks
    .map(([since, days]) => since && addMs(since, days * DAY))
    .filter((end): end is Date => end !== null && end > now);
  return ends.sort((one, other) => other.getTime() - one.getTime())[0] ?? null;
}
