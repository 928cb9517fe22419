import type { Sql } from '../../platform/database/postgres.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { selectIdOf, selectNextOf, updateDueNow, updateHastened } from './outbox.store.ts';

/** Returns how many jobs under these keys are dispatched, and when, in real time, the next of the others is due. */
export function readNextJob(
  sql: Sql,
  keys: string[],
): Promise<{ dispatched: number; nextRunAt: Date | null }> {
  return selectNextOf.one(sql, { keys });
}

/**
 * Makes the job under a key due now if its time has not come. Returns false if it is already due or has started: a run
 * that has started may not see later writes.
 */
export async function hastenJob(uow: UnitOfWork, key: string): Promise<boolean> {
  const ids = await selectIdOf.all(uow.sql, { key });
  const due = { ids: ids.map(({ id }) => id), now: uow.realNow };
  const hastened = await updateDueNow.run(uow.sql, due);
  uow.wakeRelay();
  return hastened > 0;
}

/** Makes waiting jobs under these keys due `byMs` milliseconds earlier. */
export async function hastenJobs(uow: UnitOfWork, keys: string[], byMs: number): Promise<void> {
  await updateHastened.send(uow.pipeline, { keys, byMs });
  uow.wakeRelay();
}
