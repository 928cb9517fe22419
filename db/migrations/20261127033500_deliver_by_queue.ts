import type { Knex } from 'knex';

/**
 * Deliveries are work of the queue: no worker holds one in its row. What was held when this ran is due again, and may
 * be sent a second time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`update webhook_deliveries set state = 'pending' where state = 'dispatched'`);
  await knex.raw('drop table webhook_workers');
  await knex.raw('drop index webhook_deliveries_in_flight');
  await knex.raw('drop index webhook_deliveries_by_time');
  await knex.raw('drop index webhook_deliveries_in_order');
  await knex.raw(`create index webhook_deliveries_in_order on webhook_deliveries (endpoint_id, subject, position)
    where subject is not null and state = 'pending'`);
  await knex.raw(`
    alter table webhook_deliveries
      drop column epoch, drop column lease_until, drop column without_job, drop column worker_id,
      drop constraint webhook_deliveries_state_check,
      add constraint webhook_deliveries_state_check
        check (state in ('pending', 'delivered', 'exhausted', 'cancelled'))`);
  await knex.raw(
    'alter table webhook_endpoints drop column last_claimed_at, drop column rate_used_until',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table webhook_endpoints add column last_claimed_at timestamptz, add column rate_used_until timestamptz',
  );
  await knex.raw(`
    alter table webhook_deliveries
      add column epoch integer not null default 0, add column lease_until timestamptz,
      add column without_job boolean not null default false, add column worker_id text collate "C",
      drop constraint webhook_deliveries_state_check,
      add constraint webhook_deliveries_state_check
        check (state in ('pending', 'dispatched', 'delivered', 'exhausted', 'cancelled'))`);
  await knex.raw('drop index webhook_deliveries_in_order');
  await knex.raw(`create index webhook_deliveries_in_order on webhook_deliveries (endpoint_id, subject, position)
    where subject is not null and state in ('pending', 'dispatched')`);
  await knex.raw(`create index webhook_deliveries_by_time on webhook_deliveries (next_attempt_at, endpoint_id)
    where coalesce(state = 'pending', false)`);
  await knex.raw(
    `create index webhook_deliveries_in_flight on webhook_deliveries (endpoint_id) where state = 'dispatched'`,
  );
  await knex.raw(
    'create table webhook_workers (id text collate "C" primary key, heartbeat_at timestamptz not null)',
  );
}
