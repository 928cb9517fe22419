import type { Knex } from 'knex';

/** Payments of hosted checkout, and the sandbox's own provider. Nothing of a card is in either table. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table payments (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      checkout_session_id text collate "C" not null,
      attempt integer not null check (attempt > 0),
      provider text not null check (provider in ('sandbox', 'stripe')),
      provider_reference text collate "C",
      status text not null check (status in ('created', 'requires_confirmation', 'pending', 'succeeded',
        'failed', 'refund_pending', 'refunded')),
      decline_code text,
      amount_cents bigint not null check (amount_cents > 0),
      currency text not null,
      order_id text collate "C" unique references orders (id),
      refund_reference text collate "C",
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check_at timestamptz not null,
      unique (checkout_session_id, attempt),
      unique (provider, provider_reference),
      constraint payments_failed_for_a_reason check ((status = 'failed') = (decline_code is not null))
    );
    -- Two tabs and a double click make one charge: a session has one payment that took money or still can.
    create unique index payments_one_live_per_session on payments (checkout_session_id)
      where status in ('created', 'requires_confirmation', 'pending', 'succeeded');
    create index payments_to_check on payments (check_at)
      where status in ('created', 'requires_confirmation', 'pending');

    create table sandbox_payments (
      reference text collate "C" primary key,
      payment_id text collate "C" not null unique,
      status text not null check (status in ('succeeded', 'failed', 'requires_confirmation')),
      decline_code text,
      amount_cents bigint not null,
      currency text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      refunded_at timestamptz
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table sandbox_payments, payments');
}
