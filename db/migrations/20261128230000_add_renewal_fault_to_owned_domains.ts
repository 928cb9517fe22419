import type { Knex } from 'knex';

/** Why the last automatic renewal attempt failed, for the current expiry date. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table owned_domains add column renewal_fault text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table owned_domains drop column renewal_fault');
}
