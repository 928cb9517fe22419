import { addMs, type Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import type { Database } from './database.ts';
import { selectAheads, selectClock } from './sandbox-clock.store.ts';

/** Whose time it is. In LIVE it is real time for everybody. */
export interface TimeOwner {
  partnerId: string;
  environment: Environment;
}

/** How far the time of an owner is ahead of real time, in milliseconds: never in LIVE, where nothing is read. */
export async function readAhead(sql: Sql, { partnerId, environment }: TimeOwner): Promise<number> {
  if (environment === 'LIVE') return 0;
  return (await selectClock.first(sql, { partnerId }))?.aheadMs ?? 0;
}

/** The same of the sandboxes of many partners, by partner; those that are on real time are left out. */
export async function readAheads(
  sql: Sql,
  partnerIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (partnerIds.length === 0) return new Map();
  const rows = await selectAheads.all(sql, { partnerIds });
  return new Map(rows.map(({ partnerId, aheadMs }) => [partnerId, aheadMs]));
}

/** `runtime` in the time of an owner, whatever it was in: its clock shows that, and its units of work begin in it. */
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
