import type { Knex } from 'knex';

/** What the registry of a LIVE listing says of it as a premium name: its class, and the fee of a year's renewal. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table listings add column premium jsonb');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table listings drop column premium');
}
