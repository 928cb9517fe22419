import { type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { dropPartitions, type PartitionedLog } from '../../platform/database/partitioned-log.ts';
import { idRangeAt } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import { selectOldest } from './delivery.store.ts';

/** The attempts of all deliveries, a partition a week of their deliveries. */
export const ATTEMPT_LOG: PartitionedLog = {
  table: 'webhook_attempts',
  key: 'delivery_id',
  idKind: 'webhookDelivery',
  days: 7,
};

/** Drops the weeks that ended DELIVERY_KEEP_DAYS ago and of which no delivery is left; says how many. */
export async function pruneAttemptLog({
  db,
  clock,
  config,
}: {
  db: Database;
  clock: Clock;
  config: Config;
}): Promise<number> {
  const { first } = idRangeAt('webhookDelivery', daysAgo(clock, config.deliveryKeepDays));
  const oldest = (await selectOldest.first(db.knex))?.id ?? first;
  return dropPartitions(db.knex, ATTEMPT_LOG, oldest < first ? oldest : first);
}
