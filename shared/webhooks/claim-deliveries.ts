import { addMs, type Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { ClaimedDelivery } from './delivery.ts';
import { claimDue, isAnyDue, release } from './dispatch.store.ts';
import { pickBacklogEnd } from './either-end.ts';

/**
 * Takes up to `limit` due deliveries for dispatch, fairly: a bounded number at once to each endpoint,
 * none while its breaker is open, one while it fails, and never all slots for retries and failing endpoints.
 */
export async function claimDeliveries(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<ClaimedDelivery[]> {
  const now = clock.now();
  // Asked several times a second by every worker, and mostly in vain.
  if (!(await isAnyDue(db.knex, now))) return [];
  const share = config.webhookRetrySharePercent;
  return claimDue(db.knex, {
    now,
    leaseUntil: addMs(now, config.outboxLeaseMs),
    limit,
    cap: config.webhookMaxInFlight,
    newestFirst: pickBacklogEnd() === 'newest',
    retryShare: share,
    // The slots of one worker process, so that the promise holds for the smallest fleet.
    doubtfulSlots: Math.max(1, Math.floor((config.webhookConcurrency * share) / 100)),
  });
}

/** Gives claims back that never reached a worker, or that a stopping worker gives up. */
export async function releaseDeliveries(
  { db }: { db: Database },
  claims: readonly ClaimedDelivery[],
): Promise<void> {
  if (claims.length > 0) await release(db.knex, claims);
}
