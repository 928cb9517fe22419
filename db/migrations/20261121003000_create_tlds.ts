import type { Knex } from 'knex';

/** What each TLD costs to register, renew, transfer and restore, and what it asks of a registrant. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table tlds (
      -- As A-labels, without a leading dot: com, co.uk, xn--p1ai.
      tld text collate "C" primary key,
      unicode text not null,
      -- For the minimum term, in US cents; null is not offered.
      register_cents bigint check (register_cents >= 0),
      renew_cents bigint check (renew_cents >= 0),
      transfer_cents bigint check (transfer_cents >= 0),
      restore_cents bigint check (restore_cents >= 0),
      min_years integer not null check (min_years > 0),
      max_years integer not null check (max_years >= min_years),
      -- The rules as the public API tells them; the import holds them to their schema.
      rules jsonb not null,
      -- Where the figures are from.
      sources text[] not null,
      updated_at timestamptz not null
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table tlds');
}
