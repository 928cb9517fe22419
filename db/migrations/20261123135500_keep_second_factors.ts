import type { Knex } from 'knex';

/** Second factors: an authenticator app for each account, its recovery codes, and which sessions were opened with one. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table user_sessions add column second_factor_at timestamptz;

    create table user_authenticators (
      user_id text collate "C" primary key references users,
      secret_sealed bytea not null,
      created_at timestamptz not null,
      confirmed_at timestamptz,
      last_step bigint not null default 0
    );

    create table user_recovery_codes (
      user_id text collate "C" references users,
      code_hash bytea,
      used_at timestamptz,
      primary key (user_id, code_hash)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table user_recovery_codes, user_authenticators;
    alter table user_sessions drop column second_factor_at;
  `);
}
