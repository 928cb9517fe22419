import type { Knex } from 'knex';

/** Deliveries that a worker took after another of their endpoint: no job of the queue stands for them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_deliveries add column without_job boolean not null default false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table webhook_deliveries drop column without_job');
}
