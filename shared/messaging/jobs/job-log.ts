import type { PartitionedLog } from '../../platform/database/partitioned-log.ts';
import { firstNumberAt } from '../../platform/ids.ts';

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
