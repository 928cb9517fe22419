import type { Knex } from 'knex';

/** Also lists what is owed for payments without an order: for a renewal, or of money that arrived too late. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table buyer_repayments
      drop constraint buyer_repayments_pkey,
      alter column order_id drop not null,
      alter column partner_id drop not null,
      add column payment_id text collate "C" references payments (id),
      add column subject text collate "C" generated always as (coalesce(order_id, payment_id)) stored,
      add constraint buyer_repayments_pkey primary key (subject),
      add constraint buyer_repayments_order_id_key unique (order_id),
      add constraint buyer_repayments_of_one_thing check (
        (order_id is null) <> (payment_id is null)
        and (order_id is null or partner_id is not null))`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('delete from buyer_repayments where order_id is null');
  await knex.raw(`
    alter table buyer_repayments
      drop constraint buyer_repayments_of_one_thing,
      drop constraint buyer_repayments_order_id_key,
      drop constraint buyer_repayments_pkey,
      drop column subject,
      drop column payment_id,
      alter column partner_id set not null,
      alter column order_id set not null,
      add constraint buyer_repayments_pkey primary key (order_id)`);
}
