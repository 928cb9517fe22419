import type { Knex } from 'knex';

/** An authenticator app is set up by the session that began it: the hash of its token. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table user_authenticators add column begun_by bytea');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table user_authenticators drop column begun_by');
}
