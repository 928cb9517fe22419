import type { Knex } from 'knex';

/** Lowers what is owed for payments by what staff had refunded at the provider by hand, which was listed again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `update buyer_repayments r set amount_cents = p.amount_cents - p.returned_cents
     from payments p
     where r.status = 'owed' and r.subject = coalesce(p.order_id, p.id) and p.status = 'refund_pending'
       and p.returned_cents > 0 and p.returned_cents < p.amount_cents and r.amount_cents = p.amount_cents`,
  );
}

/** The previous version would list the full amounts again, which are too much. */
export async function down(): Promise<void> {}
