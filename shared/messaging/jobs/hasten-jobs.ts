import type { Sql } from '../../platform/database/postgres.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { selectIdOf, selectNextOf, updateDueNow, updateHastened } from './outbox.store.ts';

/** Of the jobs under these keys, how many are running, and when, in real time, the next of the others is due. */
export function readNextJob(
  sql: Sql,
  keys: string[],
): Promise<{ dispatched: number; nextRunAt: Date | null }> {
  return selectNextOf.one(sql, { keys });
}

/**
 * Makes the job under a key due now, if it waits for its time. False when it is due or has begun already: a run that has
 * begun may not see what was written since.
 */
export async function hastenJob(uow: UnitOfWork, key: string): Promise<boolean> {
  const ids = await selectIdOf.all(uow.sql, { key });
  const due = { ids: ids.map(({ id }) => id), now: uow.realNow };
  const hastened = await updateDueNow.run(uow.sql, due);
  uow.wakeRelay();
  return hastened > 0;
}

/** Moves the due time of waiting jobs under these keys forward by `byMs` milliseconds. */
export async function hastenJobs(uow: UnitOfWork, keys: string[], byMs: number): Promise<void> {
  await updateHastened.send(uow.pipeline, { keys, byMs });
  uow.wakeRelay();
}
