import type { Knex } from 'knex';

/** Which statuses legal holds added to a domain at its registry, to take away those and no others. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `alter table registrar_domains add column hold_statuses text[] not null default '{}'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table registrar_domains drop column hold_statuses');
}
