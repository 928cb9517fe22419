import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { type Clock, dayOf, daysAgo } from '../../platform/clock.ts';
import * as store from './status-history.store.ts';
import {
  COMPONENTS,
  type Component,
  deriveIncidents,
  IN_A_ROW,
  type Incident,
  type Probe,
} from './status-rule.ts';

/** The number of days shown, including today. */
export const HISTORY_DAYS = 90;

/** The maximum number of incidents shown. */
const MAX_INCIDENTS = 100;

/** A component's probe counts for a day (UTC). */
export interface ComponentDay {
  component: Component;
  day: string;
  probes: number;
  failures: number;
}

export interface StatusHistory {
  /** The days with probes among the last {@link HISTORY_DAYS}, oldest first. */
  days: ComponentDay[];
  /** Newest first, at most 100. */
  incidents: (Incident & { component: Component })[];
}

/**
 * Stores probe results, and derives the incidents since then again. The first probe of a component in a minute is kept,
 * so several processes may record the same minute; late probes count, too.
 */
export async function recordProbes(
  { db }: { db: Database },
  probes: readonly Probe[],
): Promise<void> {
  await db.transact(async (uow) => {
    const fresh = await store.insertProbes.all(uow.sql, {
      components: probes.map(({ component }) => component),
      ats: probes.map(({ at }) => at),
      oks: probes.map(({ ok }) => ok),
    });
    // A fixed order, so that two processes never deadlock.
    for (const component of COMPONENTS) {
      const found = fresh.find((each) => each.component === component);
      if (found) await rederive(uow, component, found.since);
    }
  });
}

async function rederive({ sql }: UnitOfWork, component: Component, since: Date): Promise<void> {
  const before = IN_A_ROW - 1;
  const probes = await store.selectProbes.all(sql, { component, since, before });
  const from = probes[0]?.at ?? since;
  const open = await store.selectOpenBefore.first(sql, { component, from });
  await store.deleteIncidentsSince.run(sql, { component, from });
  for (const incident of deriveIncidents(probes, open?.startedAt ?? null)) {
    await store.upsertIncident.run(sql, { component, ...incident });
  }
}

/** Returns whether a minute has been probed by any process. */
export async function isProbed({ db }: { db: Database }, at: Date): Promise<boolean> {
  return (await store.selectProbed.one(db.knex, { at })).probed;
}

/** Returns the history of the components over the last {@link HISTORY_DAYS} days. */
export async function readStatusHistory({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): Promise<StatusHistory> {
  const since = daysAgo(clock, HISTORY_DAYS - 1);
  return db.readForMonitoring(async (sql) => ({
    days: await store.selectDays.all(sql, { from: dayOf(since) }),
    incidents: await store.selectIncidents.all(sql, { since, limit: MAX_INCIDENTS }),
  }));
}
