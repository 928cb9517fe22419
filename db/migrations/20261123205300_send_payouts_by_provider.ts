import type { Knex } from 'knex';

/** Accounts of partners at the payment provider, and which payouts the provider was asked to send there. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table connected_accounts (
      partner_id text collate "C" primary key references partners (id),
      account text not null,
      updated_at timestamptz not null
    );
    alter table payouts add column sent_to text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table payouts drop column sent_to;
    drop table connected_accounts;
  `);
}
