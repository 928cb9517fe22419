import { type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { dropPartitions, type PartitionedLog } from '../../platform/database/partitioned-log.ts';
import { firstNumberAt } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import { deleteKeys } from './outbox.store.ts';

/** The jobs of all queues, a partition a week. */
export const JOB_LOG: PartitionedLog = {
  table: 'outbox',
  key: 'id',
  firstIdAt: firstNumberAt,
  period: 'week',
  // The statements of relay and workers are planned for all that there are.
  ahead: 1,
  unfinished: ['pending', 'dispatched', 'dead'],
};

interface Services {
  db: Database;
  clock: Clock;
  config: Config;
}

/** Drops the weeks that ended OUTBOX_KEEP_DAYS ago, but for those with a job that is not done, and says how many. */
export function pruneJobs({ db, clock, config }: Services): Promise<number> {
  const before = JOB_LOG.firstIdAt(daysAgo(clock, config.outboxKeepDays));
  return dropPartitions(db.knex, JOB_LOG, before);
}

/** Forgets up to `limit` keys of jobs that were done OUTBOX_KEEP_DAYS ago, and says how many. */
export function pruneJobKeys({ db, clock, config }: Services, limit: number): Promise<number> {
  return deleteKeys.run(db.knex, { before: daysAgo(clock, config.outboxKeepDays), limit });
}
