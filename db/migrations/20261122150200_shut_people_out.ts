import type { Knex } from 'knex';

/**
 * People can be shut out. A session, of our own or of a browser at the OAuth server, counts only while it has
 * the version that its user has: raising the version ends all of them at once, those that are being opened
 * at this moment included.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users add column disabled_at timestamptz;
    alter table users add column session_version integer not null default 0;
    alter table user_sessions add column session_version integer not null default 0;
    create index user_sessions_by_user on user_sessions (user_id);
    create index oauth_grants_by_user on oauth_grants (user_id) where revoked_at is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index oauth_grants_by_user, user_sessions_by_user;
    alter table user_sessions drop column session_version;
    alter table users drop column session_version, drop column disabled_at;
  `);
}
