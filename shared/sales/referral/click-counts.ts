import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Clock, dayOf } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { type ClickBatch, type ClickBuffer, createClickBuffer } from './click-buffer.ts';
import { decodeClick, isInAttributionWindow } from './click-cookie.ts';
import { insertBatch, writeCounts } from './referral-link.store.ts';

type Deps = { db: Database; clock: Clock };

/**
 * Moves the counts in Redis into the daily rows, and returns how many rows (one per link and day) changed. The
 * counts are set aside as a batch, and the batch's id is stored in the transaction that adds them. So each click is
 * counted once, even after a crash or when two workers run at once.
 */
export async function rollUpClicks(scope: Deps, buffer: ClickBuffer): Promise<number> {
  const batch = await buffer.takeBatch(randomBase62(22));
  if (!batch) return 0;
  const changed = await applyBatch(scope, batch);
  await buffer.dropBatch(batch.id);
  return changed;
}

/** Adds a batch to the daily rows, once. */
export async function applyBatch({ db, clock }: Deps, batch: ClickBatch): Promise<number> {
  return db.transact(async (uow) => {
    const inserted = await insertBatch.run(uow.sql, { id: batch.id, now: clock.now() });
    if (inserted === 0) return 0;
    await writeCounts(uow.sql, batch.counts);
    return batch.counts.length;
  });
}

/**
 * Counts, for the funnel of `/analytics`, that a click led to a checkout: once per session, however often its page is
 * opened. `click` is the session's encoded click. Never throws, because a statistic must not keep a buyer from
 * paying.
 */
export async function countCheckoutView(
  { redis, config, clock, log }: { redis: Redis; config: Config; clock: Clock; log: Logger },
  session: { id: string; environment: Environment },
  click: string | null | undefined,
): Promise<void> {
  const now = clock.now();
  const remembered = decodeClick(click);
  if (!remembered || !isInAttributionWindow(remembered.clickedAt, now)) return;
  try {
    await createClickBuffer(redis, config).countCheckout(remembered.code, dayOf(now), session);
  } catch (error) {
    log.debug({ err: error }, 'referral: a checkout was not counted');
  }
}
