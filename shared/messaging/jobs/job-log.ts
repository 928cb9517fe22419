import type { PartitionedLog } from '../../platform/database/partitioned-log.ts';
import { firstNumberAt } from '../../platform/ids.ts';

/** The jobs of all queues, with one partition per week. */
export const JOB_LOG: PartitionedLog = {
  table: 'outbox',
  key: 'id',
  firstIdAt: firstNumberAt,
  period: 'week',
  // Few partitions, because the statements of the relay and the workers are planned for each of them.
  ahead: 1,
  unfinished: ['pending', 'dispatched', 'dead'],
};
