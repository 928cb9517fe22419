import { EVENT_LOG } from '../../delivery/events/read-events.ts';
import { JOB_LOG } from '../../delivery/jobs/job-retention.ts';
import { ATTEMPT_LOG, DELIVERY_LOG } from '../../delivery/webhooks/delivery-retention.ts';
import { AUDIT_LOG } from '../../people/audit/audit-log.ts';
import { REQUEST_LOG } from '../../people/partners/request-log.ts';
import { addPartitions, type PartitionedLog } from '../../platform/database/partitioned-log.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { TIMELINE_LOG } from '../../sales/orders/read-orders.ts';

/** All tables that are in partitions by time. */
export const PARTITIONED_TABLES: readonly PartitionedLog[] = [
  EVENT_LOG,
  TIMELINE_LOG,
  AUDIT_LOG,
  DELIVERY_LOG,
  ATTEMPT_LOG,
  REQUEST_LOG,
  JOB_LOG,
];

/** Makes the partitions of `now` and of some time ahead, where they are missing; returns how many were made. */
export async function addAllPartitions(sql: Sql, now: Date): Promise<number> {
  let made = 0;
  for (const table of PARTITIONED_TABLES) made += await addPartitions(sql, table, now);
  return made;
}
