import type { Knex } from 'knex';

/** Finds what is owed for a payment, once a payment, also when the payment is erased. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table buyer_repayments add constraint buyer_repayments_payment_id_key unique (payment_id)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table buyer_repayments drop constraint buyer_repayments_payment_id_key');
}
