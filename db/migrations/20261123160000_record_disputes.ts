import type { Knex } from 'knex';

/** Payments that a buyer disputes at the bank. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table payment_disputes (
      id text collate "C" primary key,
      payment_id text collate "C" not null references payments (id),
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      order_id text collate "C" references orders (id),
      provider_reference text collate "C" not null unique,
      status text not null check (status in ('needs_response', 'under_review', 'won', 'lost', 'withdrawn')),
      reason text not null,
      amount_cents bigint not null check (amount_cents > 0),
      currency text not null,
      evidence_due_at timestamptz,
      opened_at timestamptz not null,
      updated_at timestamptz not null,
      closed_at timestamptz,
      constraint payment_disputes_closed_at_their_end
        check ((closed_at is null) = (status in ('needs_response', 'under_review')))
    );
    create index payment_disputes_by_payment on payment_disputes (payment_id);
    create index payment_disputes_by_order on payment_disputes (order_id);
    create index payment_disputes_open on payment_disputes (opened_at, id) where closed_at is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table payment_disputes');
}
