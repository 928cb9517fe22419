import { addMs, DAY } from '../../platform/clock.ts';
import type { DomainInfo, DomainStatus } from '../epp/epp-objects.ts';

/** ICANN's transfer policy: not in the first 60 days, nor in the 60 days after a transfer. */
const TRANSFER_LOCK_MS = 60 * DAY;

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

/** What keeps a domain from a push, when it is in our account, or from a transfer to us. */
export function transferLocks(info: DomainInfo, clientId: string, now: Date): TransferLocks {
  const isOurs = info.clID === clientId;
  const forbidding = isOurs ? AGAINST_PUSH : AGAINST_TRANSFER;
  const status = info.statuses.find((each) => forbidding.includes(each)) ?? null;
  if (isOurs) return { status, until: null };
  const since = Math.max(info.createdAt?.getTime() ?? 0, info.transferredAt?.getTime() ?? 0);
  const until = addMs(new Date(since), TRANSFER_LOCK_MS);
  return { status, until: until > now ? until : null };
}
