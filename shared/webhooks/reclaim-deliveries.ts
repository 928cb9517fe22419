import { addMs, type Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { ClaimedDelivery } from './delivery.ts';
import { cancelUndeliverable, extendLeases, findDispatched, release } from './dispatch.store.ts';

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
    const page = await findDispatched(db.knex, wanted);
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
  await cancelUndeliverable(db.knex, now);
  return lost;
}
