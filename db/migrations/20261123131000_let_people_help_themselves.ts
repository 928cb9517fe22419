import type { Knex } from 'knex';

/**
 * People of partners, links by mail that work once, sessions that their owner recognizes, and failed sign-ins that
 * make the next one wait. Sessions are few and short-lived, so that giving each an id takes no time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table user_sessions
      add column id uuid not null default gen_random_uuid(),
      add column address text,
      add column user_agent text;

    create table partner_members (
      partner_id text collate "C" references partners,
      user_id text collate "C" references users,
      role text not null check (role in ('admin', 'developer', 'finance', 'viewer')),
      created_at timestamptz not null,
      primary key (partner_id, user_id)
    );
    create index partner_members_by_user on partner_members (user_id);

    create table account_links (
      id text collate "C" primary key,
      kind text not null check (kind in ('verify-email', 'invitation', 'password-reset')),
      email text not null check (email = lower(email)),
      partner_id text collate "C" references partners,
      role text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz
    );
    create index account_links_by_email on account_links (email, kind, created_at);
    create index account_links_by_expiry on account_links (expires_at);

    create table sign_in_attempts (
      subject_digest bytea primary key,
      failures integer not null,
      last_at timestamptz not null,
      blocked_until timestamptz not null
    );
    create index sign_in_attempts_by_age on sign_in_attempts (last_at);

    create table user_devices (
      user_id text collate "C" references users,
      device text not null,
      first_seen_at timestamptz not null,
      primary key (user_id, device)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table user_devices, sign_in_attempts, account_links, partner_members;
    alter table user_sessions drop column id, drop column address, drop column user_agent;
  `);
}
