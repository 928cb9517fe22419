import { addMs, type Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import type { Database } from './database.ts';
import { selectAheads, selectClock } from './sandbox-clock.store.ts';

/** The owner of a clock. In LIVE every clock shows real time. */
export interface TimeOwner {
  partnerId: string;
  environment: Environment;
}

/** Returns how far an owner's clock is ahead of real time, in milliseconds; 0 in LIVE, without a query. */
export async function readAhead(sql: Sql, { partnerId, environment }: TimeOwner): Promise<number> {
  if (environment === 'LIVE') return 0;
  return (await selectClock.first(sql, { partnerId }))?.aheadMs ?? 0;
}

/** Like {@link readAhead}, for the sandboxes of many partners, by partner; omits clocks that were never moved. */
export async function readAheads(
  sql: Sql,
  partnerIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (partnerIds.length === 0) return new Map();
  const rows = await selectAheads.all(sql, { partnerIds });
  return new Map(rows.map(({ partnerId, aheadMs }) => [partnerId, aheadMs]));
}

/** Returns `runtime` with an owner's clock: both its clock and its units of work use that time. */
export async function inTimeOf<R extends { db: Database; clock: Clock }>(
  runtime: R,
  owner: TimeOwner,
): Promise<R> {
  if (owner.environment === 'LIVE') return runtime;
  const aheadMs = await readAhead(runtime.db.knex, owner);
  const { db } = runtime;
  const real = runtime.clock.real ?? runtime.clock;
  const clock = { now: () => addMs(real.now(), aheadMs), real };
  return { ...runtime, clock, db: db.inTime(owner, aheadMs) };
}
