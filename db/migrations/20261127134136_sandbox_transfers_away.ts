import type { Knex } from 'knex';

/** Authorization codes of the sandbox registrar, and the transfers to other registrars that it then simulates. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create table sandbox_registrar_transfers (
    client_reference text collate "C" primary key,
    domain text collate "C" not null,
    status text not null
      check (status in ('requested', 'approved', 'rejected', 'cleared')),
    issued_at timestamptz not null,
    asked_at timestamptz,
    answered_at timestamptz,
    check ((answered_at is not null) = (status in ('approved', 'rejected')))
  )`);
  await knex.raw(
    'create index sandbox_registrar_transfers_by_domain on sandbox_registrar_transfers (domain, issued_at)',
  );
  await knex.raw(
    'create index sandbox_registrar_transfers_by_age on sandbox_registrar_transfers (issued_at)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table sandbox_registrar_transfers');
}
