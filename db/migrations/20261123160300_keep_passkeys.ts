import type { Knex } from 'knex';

/** Passkeys of people, and the challenges that were answered already. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table user_passkeys (
      id text collate "C" primary key,
      user_id text collate "C" not null references users,
      name text not null,
      public_key bytea not null,
      counter bigint not null,
      transports text[] not null,
      created_at timestamptz not null,
      last_used_at timestamptz
    );
    create index user_passkeys_user_id_idx on user_passkeys (user_id);

    create table used_passkey_challenges (
      challenge text collate "C" primary key,
      expires_at timestamptz not null
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table used_passkey_challenges, user_passkeys');
}
