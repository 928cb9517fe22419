import type { Knex } from 'knex';

/** Why the last try to renew a domain by itself failed, for the end that it has. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table owned_domains add column renewal_fault text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table owned_domains drop column renewal_fault');
}
