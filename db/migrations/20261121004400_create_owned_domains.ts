import type { Knex } from 'knex';

/** The domains of owners, as the registrar last told them, and the sandbox registrar's own books. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- registrar_version counts the registrar's changes of a domain: an older word of it never replaces a newer one.
    create table owned_domains (
      domain text collate "C" primary key,
      domain_unicode text not null,
      tld text collate "C" not null,
      user_id text collate "C" not null references users (id),
      nameservers text[] not null,
      locked boolean not null,
      auto_renew boolean not null,
      privacy boolean not null,
      expires_at timestamptz not null,
      registrar_version bigint not null,
      tags text[] not null default '{}',
      granted_at timestamptz not null,
      updated_at timestamptz not null
    );
    create index owned_domains_by_owner on owned_domains (user_id, domain);

    create table sandbox_registrar_domains (
      domain text collate "C" primary key,
      nameservers text[] not null,
      locked boolean not null,
      auto_renew boolean not null,
      privacy boolean not null,
      expires_at timestamptz not null,
      version bigint not null
    );
    -- One row for every change that was made; a reference that is here is not carried out again.
    create table sandbox_registrar_effects (
      client_reference text collate "C" primary key,
      domain text collate "C" not null,
      change jsonb not null,
      made_at timestamptz not null
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table sandbox_registrar_effects, sandbox_registrar_domains, owned_domains');
}
