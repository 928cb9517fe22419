import type { Knex } from 'knex';

/** The provider's customer whose kept card a payment charges; finds the charge if the provider's answer was lost. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table payments add column customer text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table payments drop column customer');
}
