import type { Knex } from 'knex';

/** The last expiry mail that the owner of a domain got, and the expiry date it was about. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table owned_domains
    add column told_of_end timestamptz,
    add column told_days_before integer`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table owned_domains drop column told_of_end, drop column told_days_before');
}
