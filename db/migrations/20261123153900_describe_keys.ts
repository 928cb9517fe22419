import type { Knex } from 'knex';

/** What a key is called, where from it may be used (null: anywhere), when it was last used, and what took its place. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table credentials
    add column name text check (char_length(name) between 1 and 60),
    add column allowed_ips text[] check (cardinality(allowed_ips) between 1 and 20),
    add column last_used_at timestamptz,
    add column replaced_by text collate "C"`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table credentials
    drop column name, drop column allowed_ips, drop column last_used_at, drop column replaced_by`);
}
