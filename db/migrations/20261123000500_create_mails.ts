import type { Knex } from 'knex';

/** Mail: what is to be sent and what became of it, who hears from us, and who does not want to. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table mails (
      id text collate "C" primary key,
      kind text not null,
      cause text collate "C" not null,
      recipient text not null,
      partner_id text collate "C" references partners,
      environment text check (environment in ('SANDBOX', 'LIVE')),
      data jsonb not null,
      documents text[] not null default '{}',
      locale text not null,
      state text not null default 'queued' check (state in ('queued', 'sent', 'bounced', 'suppressed')),
      attempts integer not null default 0,
      message_id text,
      reason text,
      created_at timestamptz not null,
      finished_at timestamptz,
      unique (cause, recipient),
      constraint mails_finish_once check ((state = 'queued') = (finished_at is null))
    );
    create index mails_by_state on mails (state, id);
    create index mails_by_partner on mails (partner_id, id);
    create index mails_finished on mails (finished_at) where finished_at is not null;

    create table mail_contacts (
      partner_id text collate "C" references partners,
      email text not null check (email = lower(email)),
      created_at timestamptz not null,
      unique nulls not distinct (partner_id, email)
    );

    create table mail_brands (
      partner_id text collate "C" primary key references partners,
      display_name text,
      support_email text,
      accent_color text check (accent_color ~ '^#[0-9a-f]{6}$'),
      buyer_mail boolean not null default true
    );

    create table mail_suppressions (
      email text not null check (email = lower(email)),
      topic text not null,
      reason text not null check (reason in ('unsubscribed', 'bounced', 'ops')),
      created_at timestamptz not null,
      primary key (email, topic)
    );

    create table mailbox_messages (
      id bigint generated always as identity primary key,
      mail_id text collate "C" not null,
      recipient text not null,
      subject text not null,
      html text not null,
      text text not null,
      raw bytea not null,
      received_at timestamptz not null
    );`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table mailbox_messages;
    drop table mail_suppressions;
    drop table mail_brands;
    drop table mail_contacts;
    drop table mails`);
}
