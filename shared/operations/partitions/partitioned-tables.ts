import { keptMs, RETENTION } from '../../../db/retention.ts';
import { EVENT_LOG } from '../../messaging/events/read-events.ts';
import { JOB_LOG } from '../../messaging/jobs/job-log.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { ATTEMPT_LOG, DELIVERY_LOG } from '../../messaging/webhooks/delivery-retention.ts';
import { AUDIT_LOG } from '../../people/audit/audit-log.ts';
import { REQUEST_LOG } from '../../people/partners/request-log.ts';
import { addMs, type Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import {
  addPartitions,
  dropPartitions,
  type PartitionedLog,
} from '../../platform/database/partitioned-log.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { TIMELINE_LOG } from '../../sales/orders/read-orders.ts';

/** All tables that are partitioned by time. */
export const PARTITIONED_TABLES: readonly PartitionedLog[] = [
  EVENT_LOG,
  TIMELINE_LOG,
  AUDIT_LOG,
  DELIVERY_LOG,
  ATTEMPT_LOG,
  REQUEST_LOG,
  JOB_LOG,
];

/** Creates missing partitions for `now` and some time ahead; returns how many it created. */
export async function addAllPartitions(sql: Sql, now: Date): Promise<number> {
  let made = 0;
  for (const table of PARTITIONED_TABLES) made += await addPartitions(sql, table, now);
  return made;
}

/**
 * Drops the partitions that are past their retention (`db/retention.ts`), except those with unfinished rows. Returns
 * how many per table.
 */
export async function dropExpiredPartitions({
  db,
  clock,
  config,
}: {
  db: Database;
  clock: Clock;
  config: Config;
}): Promise<Record<string, number>> {
  const dropped: Record<string, number> = {};
  for (const log of PARTITIONED_TABLES) {
    const retention = RETENTION[log.table];
    if (retention?.kept !== 'partitions') continue;
    const before = log.firstIdAt(addMs(clock.now(), -keptMs(retention.time, config)));
    dropped[log.table] = await dropPartitions(db.knex, log, before);
  }
  return dropped;
}
