import type { Knex } from 'knex';

/** Money that is to go back to a buyer by hand: of orders taken back whose payment we have no record of. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table buyer_repayments (
      order_id text collate "C" primary key references orders (id),
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      amount_cents bigint not null check (amount_cents > 0),
      currency text not null,
      status text not null check (status in ('owed', 'paid')),
      reference text,
      created_at timestamptz not null,
      paid_at timestamptz,
      constraint buyer_repayments_paid_check
        check ((status = 'paid') = (paid_at is not null) and (status = 'paid') = (reference is not null))
    );
    create index buyer_repayments_owed on buyer_repayments (created_at) where status = 'owed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table buyer_repayments');
}
