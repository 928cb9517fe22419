import type { PartitionedLog } from '../../platform/database/partitioned-log.ts';
import { firstNumberAt } from '../../platform/ids.ts';

/** The jobs of all queues, a partition a week. */
export const JOB_LOG: PartitionedLog = {
  table: 'outbox',
  key: 'id',
  firstIdAt: firstNumberAt,
  period: 'week',
  // Statements of relay and workers are planned for every partition, so there are few.
  ahead: 1,
  unfinished: ['pending', 'dispatched', 'dead'],
};
