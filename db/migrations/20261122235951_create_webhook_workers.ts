import type { Knex } from 'knex';

/** Workers that deliver webhooks; each is alive while it renews its row. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table webhook_workers (
      id text collate "C" primary key,
      heartbeat_at timestamptz not null
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table webhook_workers');
}
