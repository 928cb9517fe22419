import { type Clock, daysAgo } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { dropPartitions, type PartitionedLog } from '../../platform/database/partitioned-log.ts';
import { firstIdOf } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import { selectOldest } from './delivery.store.ts';

/** The log of all endpoints' deliveries, with one partition per week. */
export const DELIVERY_LOG: PartitionedLog = {
  table: 'webhook_deliveries',
  key: 'id',
  firstIdAt: firstIdOf('webhookDelivery'),
  period: 'week',
  unfinished: ['pending'],
};

/** The log of all attempts, with one partition per week, by the date of the delivery. */
export const ATTEMPT_LOG: PartitionedLog = {
  table: 'webhook_attempts',
  key: 'delivery_id',
  firstIdAt: firstIdOf('webhookDelivery'),
  period: 'week',
};

/**
 * Drops weekly partitions of deliveries that ended DELIVERY_KEEP_DAYS ago and have nothing pending, then partitions of
 * attempts without deliveries. Returns how many it dropped.
 */
export async function pruneDeliveryLog({
  db,
  clock,
  config,
}: {
  db: Database;
  clock: Clock;
  config: Config;
}): Promise<{ weeks_of_deliveries: number; weeks_of_attempts: number }> {
  const first = DELIVERY_LOG.firstIdAt(daysAgo(clock, config.deliveryKeepDays));
  const deliveries = await dropPartitions(db.knex, DELIVERY_LOG, first);
  const oldest = (await selectOldest.first(db.knex))?.id ?? first;
  const before = oldest < first ? oldest : first;
  const attempts = await dropPartitions(db.knex, ATTEMPT_LOG, before);
  return { weeks_of_deliveries: deliveries, weeks_of_attempts: attempts };
}
