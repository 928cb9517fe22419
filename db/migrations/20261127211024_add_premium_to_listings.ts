import type { Knex } from 'knex';

/** What the registry says about a LIVE listing that is a premium name: its class, and the yearly renewal fee. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table listings add column premium jsonb');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table listings drop column premium');
}
