import type { Knex } from 'knex';

/** Renewals and restores that owners buy, with the same payments as checkouts but no partner on papers and disputes. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table renewals (
      id text collate "C" primary key,
      user_id text collate "C" not null references users (id),
      domain text collate "C" not null,
      kind text not null check (kind in ('renewal', 'restore')),
      years integer not null check (years > 0),
      renews_from timestamptz not null,
      amount_cents bigint not null check (amount_cents > 0),
      currency text not null,
      renew_fee_cents bigint,
      restore_fee_cents bigint,
      fee_currency text,
      status text not null
        check (status in ('awaiting_payment', 'paid', 'completed', 'refunded', 'cancelled', 'expired')),
      payer_name text,
      payer_country text,
      last_decline text,
      refusal text,
      payment_id text collate "C" unique,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      expires_at timestamptz not null,
      constraint renewals_fees_have_a_currency check (
        (fee_currency is null) = (coalesce(renew_fee_cents, restore_fee_cents) is null)),
      constraint renewals_paid_by_a_payment check (
        (payment_id is not null) = (status in ('paid', 'completed', 'refunded'))))`);
  await knex.raw('create index renewals_by_owner on renewals (user_id, id)');
  await knex.raw(`create unique index renewals_one_open_per_domain on renewals (domain)
    where status in ('awaiting_payment', 'paid')`);
  await knex.raw(`create index renewals_to_expire on renewals (expires_at)
    where status = 'awaiting_payment'`);
  await knex.raw('create index renewals_unpaid on renewals (updated_at) where payment_id is null');
  await knex.raw(`
    alter table payments
      alter column partner_id drop not null,
      alter column checkout_session_id drop not null,
      add column renewal_id text collate "C" references renewals (id),
      add constraint payments_of_one_thing check (
        (checkout_session_id is null) <> (renewal_id is null)
        and (partner_id is null) = (checkout_session_id is null)),
      add constraint payments_renewal_id_attempt_key unique (renewal_id, attempt)`);
  await knex.raw(`create unique index payments_one_live_per_renewal on payments (renewal_id)
    where status in ('created', 'requires_confirmation', 'pending', 'succeeded')`);
  await knex.raw('alter table payment_disputes alter column partner_id drop not null');
  await knex.raw('alter table documents alter column partner_id drop not null');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('delete from payments where renewal_id is not null');
  await knex.raw('drop index payments_one_live_per_renewal');
  await knex.raw(`
    alter table payments
      drop constraint payments_of_one_thing,
      drop constraint payments_renewal_id_attempt_key,
      drop column renewal_id,
      alter column checkout_session_id set not null,
      alter column partner_id set not null`);
  await knex.raw('alter table payment_disputes alter column partner_id set not null');
  await knex.raw('alter table documents alter column partner_id set not null');
  await knex.raw('drop table renewals');
}
