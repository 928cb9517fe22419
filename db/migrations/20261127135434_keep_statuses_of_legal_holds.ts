import type { Knex } from 'knex';

/** The statuses that a legal hold added to a domain at its registry, so that we later remove only those. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `alter table registrar_domains add column hold_statuses text[] not null default '{}'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table registrar_domains drop column hold_statuses');
}
