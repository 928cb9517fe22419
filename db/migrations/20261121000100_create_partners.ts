import type { Knex } from 'knex';

/** Partners, the key pairs they sign with, and the people who sign in (owners and ops). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table partners (
      id text collate "C" primary key,
      name text not null,
      status text not null default 'active' check (status in ('active', 'suspended')),
      commission_bps integer not null default 1500 check (commission_bps between 0 and 10000),
      settlement_period text not null default 'monthly'
        check (settlement_period in ('monthly', 'semi_monthly', 'weekly')),
      affiliate_id text collate "C" unique,
      created_at timestamptz not null
    );

    -- secret_ciphertext is AES-256-GCM under SECRETS_KEY; expires_at is set on the old pair of a rotation.
    create table credentials (
      key_id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      scopes text[] not null,
      secret_ciphertext bytea not null,
      status text not null default 'active' check (status in ('active', 'revoked')),
      created_at timestamptz not null,
      revoked_at timestamptz,
      expires_at timestamptz
    );
    create index credentials_by_partner on credentials (partner_id, environment);

    create table users (
      id text collate "C" primary key,
      email text not null unique check (email = lower(email)),
      password_hash text not null,
      role text not null check (role in ('owner', 'ops')),
      created_at timestamptz not null
    );

    -- Browser sessions and bearer ops tokens; only the SHA-256 of the token is kept.
    create table user_sessions (
      token_hash bytea primary key,
      user_id text collate "C" not null references users (id),
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index user_sessions_by_expiry on user_sessions (expires_at);

    create table audit_log (
      id bigint generated always as identity primary key,
      at timestamptz not null,
      actor text not null,
      action text not null,
      subject text not null,
      before jsonb,
      after jsonb
    );
    create index audit_log_by_subject on audit_log (subject, id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table audit_log, user_sessions, users, credentials, partners');
}
