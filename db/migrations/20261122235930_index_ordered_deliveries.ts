import type { Knex } from 'knex';

export const config = { transaction: false };

const INDEXES = {
  // Open deliveries of endpoints that keep the order of a subject: whether an earlier one holds a later one back.
  webhook_deliveries_in_order: `(endpoint_id, subject, position)
    where subject is not null and state in ('pending', 'dispatched')`,
  // The deliveries of a replay, for its progress.
  webhook_deliveries_by_replay: '(replay_id, state) where replay_id is not null',
};

/** Small indexes on deliveries: of the open ones that have an order, and of replays. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  for (const [name, definition] of Object.entries(INDEXES)) {
    await knex.raw(`drop index concurrently if exists ${name}`);
    await knex.raw(`create index concurrently ${name} on webhook_deliveries ${definition}`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) {
    await knex.raw(`drop index concurrently if exists ${name}`);
  }
}
