import type { Knex } from 'knex';

/** A grant names the session of its user in which it was given. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table oauth_grants add column session_id uuid');
  await knex.raw('create unique index user_sessions_by_id on user_sessions (id)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index user_sessions_by_id');
  await knex.raw('alter table oauth_grants drop column session_id');
}
