import type { Knex } from 'knex';

/** Versioned transfer rules by TLD: each takes effect at a given time, or is adopted without a date. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table transfer_policies (
      tld text collate "C" not null,
      effective_from timestamptz,
      creation_lock_days integer not null check (creation_lock_days >= 0),
      transfer_lock_days integer not null check (transfer_lock_days >= 0),
      registrant_change_lock_days integer not null check (registrant_change_lock_days >= 0),
      auth_code_days integer not null check (auth_code_days > 0),
      source text not null,
      unique nulls not distinct (tld, effective_from)
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table transfer_policies');
}
