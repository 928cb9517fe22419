import { addMs, DAY } from '../../platform/clock.ts';
import type { DomainInfo, DomainStatus } from '../epp/epp-objects.ts';
import type { TransferRules } from './registrar.ts';

const ALWAYS: readonly DomainStatus[] = ['pendingCreate', 'pendingDelete', 'pendingTransfer'];
/** A push within our account is an update of the domain. */
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

/** What keeps a domain from being delivered. */
export interface TransferLocks {
  /** The first status that forbids it. */
  status: DomainStatus | null;
  /** Until when it is locked by its age or its last transfer; null when it is not. */
  until: Date | null;
}

/** What keeps a domain from a push, when it is in our account, or from a transfer to us, by the rules of `now`. */
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

/** When the last of several locks ends, each of so many days from its beginning; null when none is left. */
export function lockedUntil(
  locks: readonly (readonly [since: Date | null, days: number])[],
  now: Date,
): Date | null {
  const ends = locks
    .map(([since, days]) => since && addMs(since, days * DAY))
    .filter((end): end is Date => end !== null && end > now);
  return ends.sort((one, other) => other.getTime() - one.getTime())[0] ?? null;
}
