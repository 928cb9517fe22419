import type { Knex } from 'knex';

/** What owners see of a domain besides its settings: DNS hold, DNSSEC, and when it was registered and transferred. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table owned_domains
    add column held boolean not null default false,
    add column signers jsonb not null default '[]',
    add column registered_at timestamptz,
    add column transferred_at timestamptz`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table owned_domains drop column held, drop column signers,
    drop column registered_at, drop column transferred_at`);
}
