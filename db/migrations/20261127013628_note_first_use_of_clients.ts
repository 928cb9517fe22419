import type { Knex } from 'knex';

/**
 * A client notes when a user first allowed it something. Those from before are taken to have been used at once: nobody
 * knows whether they were. New ones that nobody uses are many, and found by their age.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table oauth_clients add column first_used_at timestamptz;
    update oauth_clients set first_used_at = created_at;
    create index oauth_clients_never_used on oauth_clients (created_at) where first_used_at is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index oauth_clients_never_used');
  await knex.raw('alter table oauth_clients drop column first_used_at');
}
