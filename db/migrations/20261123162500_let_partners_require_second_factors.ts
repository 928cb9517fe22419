import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table partners add column second_factor_required boolean not null default false',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table partners drop column second_factor_required');
}
