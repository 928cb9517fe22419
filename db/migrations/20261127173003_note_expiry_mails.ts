import type { Knex } from 'knex';

/** Which mail about the end of its registration the owner of a domain got last, and about which end. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table owned_domains
    add column told_of_end timestamptz,
    add column told_days_before integer`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table owned_domains drop column told_of_end, drop column told_days_before');
}
