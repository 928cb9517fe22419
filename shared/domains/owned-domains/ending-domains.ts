import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import { updateTold } from './owned-domain.store.ts';

/** So many days before the end of a domain its owner is told; -1 is after it. */
export const TOLD_DAYS = [60, 30, 7, 1, -1] as const;

/** So long after its end a domain's owner is told, if that was missed. */
const LATEST_MS = 30 * DAY;

/** A domain whose owner is to be told of its end. */
export interface EndingDomain {
  /** A-labels. */
  domain: string;
  userId: string;
  email: string;
  expiresAt: Date;
  autoRenew: boolean;
  /** Whether it was bought here; staff granted the others. */
  isBought: boolean;
  /** The one of {@link TOLD_DAYS} that it is told at. */
  days: number;
}

/** Takes up to `limit` domains whose owners are to be told of their end, each once for each end and day. */
export function takeEndingDomains(uow: UnitOfWork, limit: number): Promise<EndingDomain[]> {
  const { now } = uow;
  const from = addMs(now, -LATEST_MS);
  const until = addMs(now, TOLD_DAYS[0] * DAY);
  return updateTold.all(uow.sql, { now, from, until, days: [...TOLD_DAYS], limit });
}
