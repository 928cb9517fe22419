import type { Knex } from 'knex';

/** Records since when another registrar has an owner's domain although nobody here let it go. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table owned_domains add column taken_at timestamptz');
  await knex.raw(
    'create index owned_domains_taken on owned_domains (domain) where taken_at is not null',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table owned_domains drop column taken_at');
}
