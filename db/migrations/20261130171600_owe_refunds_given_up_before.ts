import type { Knex } from 'knex';

/**
 * Lists what is owed for payments whose refund was given up before such payments were listed. The error of the dead job
 * says that the provider refuses the refund, or does not know the payment. A job that died of anything else may have
 * refunded its payment: staff retry it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `insert into buyer_repayments (order_id, payment_id, partner_id, environment, amount_cents, currency, status,
       created_at)
     select p.order_id, case when p.order_id is null then p.id end, p.partner_id, p.environment, p.amount_cents,
       p.currency, 'owed', p.updated_at
     from outbox o join payments p on p.id = o.payload ->> 'paymentId' and p.status = 'refund_pending'
     where o.state = 'dead' and o.queue = 'payments' and o.name = 'refund-payment'
       and (o.last_error like '% refused the refund' or o.last_error = 'the payment has no reference')
     on conflict do nothing`,
  );
}

/** The previous version lists these repayments, too. */
export async function down(): Promise<void> {}
