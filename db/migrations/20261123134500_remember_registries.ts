import type { Knex } from 'knex';

/** What is asked of a registry: pushes, each command before it is sent, messages; and what it says of listings. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table registrar_pushes (
      client_reference text collate "C" primary key,
      domain text collate "C" not null,
      method text,
      status text not null check (status in ('open', 'completed', 'failed', 'cancelled')),
      reason text,
      registrant jsonb,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )
  `);
  await knex.raw(`
    create index registrar_pushes_open on registrar_pushes (domain) where status = 'open'
  `);
  await knex.raw(`
    create index registrar_pushes_age on registrar_pushes (updated_at) where status <> 'open'
  `);
  await knex.raw(`
    create table registrar_commands (
      cl_trid text collate "C" primary key,
      client_reference text collate "C" not null,
      step text not null,
      domain text collate "C" not null,
      detail text,
      first_sent_at timestamptz not null,
      sent_at timestamptz not null,
      answered_at timestamptz,
      outcome text check (outcome in ('done', 'refused', 'not_made')),
      code integer,
      check ((outcome is null) = (answered_at is null))
    )
  `);
  await knex.raw(`
    create index registrar_commands_reference on registrar_commands (client_reference, step)
  `);
  await knex.raw('create index registrar_commands_age on registrar_commands (sent_at)');
  await knex.raw(`
    create table registrar_messages (
      registry text collate "C" not null,
      id text collate "C" not null,
      queued_at timestamptz,
      text text not null,
      domain text collate "C",
      transfer_status text,
      recorded_at timestamptz not null,
      primary key (registry, id)
    )
  `);
  await knex.raw('create index registrar_messages_age on registrar_messages (recorded_at)');
  await knex.raw(`
    create table registrar_domains (
      domain text collate "C" primary key,
      auto_renew boolean not null,
      privacy boolean not null,
      version bigint not null
    )
  `);
  await knex.raw(`
    create table domain_auth_codes (
      domain text collate "C" primary key,
      sealed bytea not null,
      updated_at timestamptz not null
    )
  `);
  await knex.raw(`
    alter table listings
      add column registrar text,
      add column registry_statuses text[],
      add column transferable boolean,
      add column locked_until timestamptz,
      add column registration_checked_at timestamptz
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table listings drop column registration_checked_at, drop column locked_until,
      drop column transferable, drop column registry_statuses, drop column registrar
  `);
  await knex.raw(`drop table domain_auth_codes, registrar_domains, registrar_messages,
    registrar_commands, registrar_pushes`);
}
