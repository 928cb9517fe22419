import { addMs, type Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { pickBacklogEnd } from './backlog-end.ts';
import type { ClaimedDelivery } from './delivery.ts';
import {
  deleteFinished,
  extendLeases,
  release,
  selectDispatched,
  selectIsAnyDue,
  updateClaimed,
  updateUndeliverableCancelled,
} from './delivery-dispatch.store.ts';

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
  const { due } = await selectIsAnyDue.one(db.knex, { now });
  if (!due) return [];
  const share = config.webhookRetrySharePercent;
  return updateClaimed.all(db.knex, {
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

const PAGE = 500;

export interface ReclaimRuntime {
  db: Database;
  clock: Clock;
  config: Config;
}

/**
 * Looks after what was dispatched and is past its lease (after `wiped`, after all of it): a delivery whose
 * job still waits is kept, any other is due again. An outcome that arrives late still counts as long as
 * the delivery was not claimed anew. `isQueued` says of each claim whether its job is still there.
 * Returns how many are due again.
 */
export async function reclaimDeliveries(
  { db, clock, config }: ReclaimRuntime,
  options: {
    wiped: boolean;
    isQueued(claims: readonly ClaimedDelivery[]): Promise<readonly boolean[]>;
  },
): Promise<number> {
  const now = clock.now();
  let afterId = '';
  let lost = 0;
  for (;;) {
    const wanted = { now, everything: options.wiped, afterId, limit: PAGE };
    const page = await selectDispatched.all(db.knex, wanted);
    const queued = page.length > 0 ? await options.isQueued(page) : [];
    const gone = page.filter((_, index) => !queued[index]);
    const waiting = page.filter((_, index) => queued[index]);
    if (gone.length > 0) await release(db.knex, gone);
    if (waiting.length > 0) {
      await extendLeases(db.knex, waiting, addMs(now, config.outboxLeaseMs));
    }
    lost += gone.length;
    const last = page.at(-1);
    if (!last || page.length < PAGE) break;
    afterId = last.id;
  }
  // Last, because what was taken back may belong to an endpoint that went out of service.
  await updateUndeliverableCancelled.run(db.knex, { now });
  return lost;
}

/**
 * Deletes up to `limit` deliveries that ended before `before`, with their attempts; returns the ids of their
 * events, one for each delivery.
 */
export async function deleteFinishedDeliveries(
  uow: UnitOfWork,
  before: Date,
  limit: number,
): Promise<string[]> {
  const deleted = await deleteFinished.all(uow.sql, { before, limit });
  return deleted.map((row) => row.event_id);
}
