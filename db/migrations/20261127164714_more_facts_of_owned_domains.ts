import type { Knex } from 'knex';

/** What owners see of their domains beyond settings: out of the DNS, DNSSEC, and how long they have been where they are. */
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
