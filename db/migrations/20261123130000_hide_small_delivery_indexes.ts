import type { Knex } from 'knex';

export const config = { transaction: false };

/** Each new index, its columns and condition, and the one before it. */
const INDEXES = [
  [
    'webhook_deliveries_by_time',
    `(next_attempt_at, endpoint_id) where coalesce(state = 'pending', false)`,
    'webhook_deliveries_next',
    `(next_attempt_at, endpoint_id) where state = 'pending'`,
  ],
  [
    'webhook_deliveries_not_delivered',
    `(partner_id, environment, id desc) where coalesce(state <> 'delivered', false)`,
    'webhook_deliveries_undelivered',
    `(partner_id, environment, id desc) where state <> 'delivered'`,
  ],
] as const;

/**
 * Two indexes of few deliveries are only for statements that say their condition in these words. While the statistics
 * knew of no backlog, the planner took them in the place of `webhook_deliveries_due`, and read all that waited, once
 * for each endpoint.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  for (const [name, definition, before] of INDEXES) await replace(knex, before, name, definition);
}

export async function down(knex: Knex): Promise<void> {
  for (const [name, , before, definition] of INDEXES) await replace(knex, name, before, definition);
}

async function replace(knex: Knex, old: string, name: string, definition: string): Promise<void> {
  await knex.raw(`drop index concurrently if exists ${name}`);
  await knex.raw(`create index concurrently ${name} on webhook_deliveries ${definition}`);
  await knex.raw(`drop index concurrently if exists ${old}`);
}
