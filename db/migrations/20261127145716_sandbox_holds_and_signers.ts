import type { Knex } from 'knex';

/** Whether a domain at the sandbox registrar is kept out of the DNS, and its delegation signers. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table sandbox_registrar_domains
    add column held boolean not null default false,
    add column signers jsonb not null default '[]'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table sandbox_registrar_domains drop column held, drop column signers');
}
