import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { selectToTell, updateTold } from './owned-domain.store.ts';

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

/** Which of the domains that {@link takeEndingDomains} takes next are to renew themselves. */
export async function listEndingAutoRenewed(sql: Sql, now: Date, limit: number): Promise<string[]> {
  const next = await selectToTell.all(sql, { ...windowAt(now), limit });
  return next.filter(({ autoRenew }) => autoRenew).map(({ domain }) => domain);
}

/** Takes up to `limit` domains whose owners are to be told of their end, each once for each end and day. */
export function takeEndingDomains(uow: UnitOfWork, limit: number): Promise<EndingDomain[]> {
  return updateTold.all(uow.sql, { ...windowAt(uow.now), limit });
}

function windowAt(now: Date) {
  const from = addMs(now, -LATEST_MS);
  const until = addMs(now, TOLD_DAYS[0] * DAY);
  return { now, from, until, days: [...TOLD_DAYS] };
}
