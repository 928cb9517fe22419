import type { Knex } from 'knex';

/** What holds a delivery back behind an earlier one of its subject, and the replay that made it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_deliveries
      -- What the event is about and its position in the history, only where an endpoint keeps the order of a
      -- subject: a delivery waits while an open one of the same endpoint and subject has a lower position.
      add column subject text collate "C",
      add column position bigint,
      add column replay_id text collate "C"
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_deliveries drop column subject, drop column position, drop column replay_id
  `);
}
