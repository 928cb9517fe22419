import type { Sql } from '../../platform/database/postgres.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { selectIdOf, selectNextOf, updateDueNow, updateHastened } from './outbox.store.ts';

/** Of the jobs under these keys: how many are being done, and when, in real time, the next of the others is due. */
export function readNextJob(
  sql: Sql,
  keys: string[],
): Promise<{ dispatched: number; nextRunAt: Date | null }> {
  return selectNextOf.one(sql, { keys });
}

/** Makes the job under a key due now, if it waits for its time. */
export async function hastenJob(uow: UnitOfWork, key: string): Promise<void> {
  const ids = await selectIdOf.all(uow.sql, { key });
  await updateDueNow.run(uow.sql, { ids: ids.map(({ id }) => id), now: uow.realNow });
  uow.wakeRelay();
}

/** Makes those of the jobs under these keys that wait due earlier, by so many milliseconds. */
export async function hastenJobs(uow: UnitOfWork, keys: string[], byMs: number): Promise<void> {
  await updateHastened.run(uow.sql, { keys, byMs });
  uow.wakeRelay();
}
