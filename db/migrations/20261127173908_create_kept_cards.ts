import type { Knex } from 'knex';

/** Cards that owners let us keep for automatic renewals: the provider's token and the last 4 digits, no full number. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table kept_cards (
      user_id text collate "C" primary key references users (id),
      provider text not null check (provider in ('sandbox', 'stripe')),
      token text not null,
      customer text,
      brand text not null,
      last4 text not null check (last4 ~ '^[0-9]{4}$'),
      exp_month integer not null check (exp_month between 1 and 12),
      exp_year integer not null,
      kept_at timestamptz not null)`);
  await knex.raw('alter table sandbox_payments add column kept_card jsonb');
  await knex.raw(`
    alter table renewals
      add column keeps_card boolean not null default false,
      add column automatic_days integer`);
  await knex.raw(`create unique index renewals_one_automatic on renewals (domain, renews_from, automatic_days)
    where automatic_days is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index renewals_one_automatic');
  await knex.raw('alter table renewals drop column keeps_card, drop column automatic_days');
  await knex.raw('alter table sandbox_payments drop column kept_card');
  await knex.raw('drop table kept_cards');
}
