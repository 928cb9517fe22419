import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { selectToTell, updateTold } from './owned-domain.store.ts';

/** The days before a domain's expiry on which its owner is notified; -1 is after expiry. */
export const TOLD_DAYS = [60, 30, 7, 1, -1] as const;

/** The latest time after expiry at which a missed notice is still sent. */
const LATEST_MS = 30 * DAY;

/** A domain whose owner is due an expiry notice. */
export interface EndingDomain {
  /** A-labels. */
  domain: string;
  userId: string;
  email: string;
  expiresAt: Date;
  autoRenew: boolean;
  /** Whether it was bought here; staff granted the others. */
  isBought: boolean;
  /** Whether the payment of its purchase is disputed. */
  isDisputed: boolean;
  /** The value of {@link TOLD_DAYS} that is due. */
  days: number;
}

/** Returns which of the domains that {@link takeEndingDomains} takes next have automatic renewal. */
export async function listEndingAutoRenewed(sql: Sql, now: Date, limit: number): Promise<string[]> {
  const next = await selectToTell.all(sql, { ...windowAt(now), limit });
  return next.filter(({ autoRenew }) => autoRenew).map(({ domain }) => domain);
}

/** Takes up to `limit` domains whose owners are due an expiry notice, once per expiry and day. */
export function takeEndingDomains(uow: UnitOfWork, limit: number): Promise<EndingDomain[]> {
  return updateTold.all(uow.sql, { ...windowAt(uow.now), limit });
}

function windowAt(now: Date) {
  const from = addMs(now, -LATEST_MS);
  const until = addMs(now, TOLD_DAYS[0] * DAY);
  return { now, from, until, days: [...TOLD_DAYS] };
}
