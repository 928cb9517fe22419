import type { Knex } from 'knex';

/** Where partners want their money, and the files by which banks are asked to send it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table payout_accounts (
      partner_id text collate "C" primary key references partners (id),
      holder text not null,
      iban bytea not null,
      iban_end text not null,
      bic text,
      updated_at timestamptz not null
    );
    create table payout_files (
      id text collate "C" primary key,
      currency text not null,
      payouts integer not null check (payouts > 0),
      amount_cents bigint not null check (amount_cents > 0),
      content bytea not null,
      created_by text not null,
      created_at timestamptz not null
    );
    alter table payouts add column file_id text collate "C" references payout_files (id);
    create index payouts_of_file on payouts (file_id) where file_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table payouts drop column file_id;
    drop table payout_files;
    drop table payout_accounts;
  `);
}
