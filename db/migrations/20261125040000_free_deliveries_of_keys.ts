import type { Knex } from 'knex';

export const config = { transaction: false };

const KEYS = [
  ['webhook_deliveries', 'webhook_deliveries_event_id_fkey'],
  ['webhook_deliveries', 'webhook_deliveries_endpoint_id_fkey'],
  // Of attempts from before they became partitions.
  ['webhook_attempts_before', 'webhook_attempts_delivery_id_fkey'],
] as const;

/**
 * Deliveries refer to no table any more, so that each week of them can be put in place and dropped without a lock on
 * others: they are made of rows of events and endpoints, neither of which is deleted while a delivery is there.
 * Dropping a key locks both of its tables. It gives up before Postgres would take that for a deadlock, and is tried again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`set lock_timeout = '200ms'`);
  for (const [table, key] of KEYS) {
    await knex.raw(`alter table if exists ${table} drop constraint if exists ${key}`);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table webhook_deliveries
    add constraint webhook_deliveries_event_id_fkey foreign key (event_id) references events,
    add constraint webhook_deliveries_endpoint_id_fkey foreign key (endpoint_id) references webhook_endpoints on delete cascade`);
}
