import { enqueue } from '../outbox/enqueue.ts';
import { addMs, HOUR } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Runtime } from '../runtime.ts';
import { ENDED_PERIODS } from './periods.ts';
import { startRunJob } from './settlement.jobs.ts';
import { hasUnfinishedRun, insertRun, lockSchedule } from './settlement-run.store.ts';
import { partnersWithWork } from './start-run.ts';

const ENVIRONMENTS = ['LIVE', 'SANDBOX'] as const;
/**
 * After this long a run that did not end is taken for dead, and another one is started; so it is beside one from
 * further ahead, which a process with a wrong clock left behind.
 */
const STALE_RUN_MS = HOUR;

/**
 * Starts a run in each environment where a period has ended with something to settle. Asks Postgres what
 * is due, so that a missed or doubled tick changes nothing. Returns the ids of the runs it started.
 */
export async function closeDuePeriods({
  db,
  clock,
  config,
}: Pick<Runtime, 'db' | 'clock' | 'config'>): Promise<string[]> {
  const started: string[] = [];
  for (const environment of ENVIRONMENTS) {
    const now = clock.now();
    const wanted = { environment, partnerId: null, period: ENDED_PERIODS, until: now };
    const run = await db.transact(async (tx) => {
      await lockSchedule(tx, environment);
      const recent = { since: addMs(now, -STALE_RUN_MS), until: addMs(now, STALE_RUN_MS) };
      if (await hasUnfinishedRun(tx, { environment, period: ENDED_PERIODS, ...recent }))
        return null;
      if ((await partnersWithWork(tx, config, wanted)).length === 0) return null;
      const id = newId('settlementRun', now);
      await insertRun(tx, {
        ...wanted,
        id,
        requestedBy: 'schedule',
        status: 'queued',
        createdAt: now,
        finishedAt: null,
      });
      await enqueue(tx, [startRunJob({ runId: id }, now)], now);
      return id;
    });
    if (run) started.push(run);
  }
  return started;
}
