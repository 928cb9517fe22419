import type { Knex } from 'knex';

/** Offers of buyers on listings, and the floors at which they are accepted at once. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table offers (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      listing_id bigint not null references listings (id),
      domain text collate "C" not null,
      status text not null check (status in ('OPEN', 'COUNTERED', 'ACCEPTED', 'DECLINED', 'EXPIRED')),
      amount_cents bigint not null check (amount_cents > 0),
      counter_cents bigint check (counter_cents > 0),
      price_cents bigint,
      currency text not null,
      buyer_email text,
      buyer_name text,
      buyer_country text,
      quote_id text collate "C",
      quote_expires_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      expires_at timestamptz not null,
      constraint offers_accepted_are_quoted
        check ((status = 'ACCEPTED') = (price_cents is not null)
          and (price_cents is null) = (quote_id is null)
          and (quote_id is null) = (quote_expires_at is null))
    );
    create unique index offers_one_of_a_buyer on offers (partner_id, listing_id, buyer_email)
      where status in ('OPEN', 'COUNTERED');
    create index offers_newest on offers (partner_id, environment, created_at desc, id desc);
    create index offers_open_by_expiry on offers (expires_at) where status in ('OPEN', 'COUNTERED');
    create index offers_with_buyers on offers (updated_at)
      where buyer_email is not null and status in ('DECLINED', 'EXPIRED');
    create table offer_floors (
      listing_id bigint primary key references listings (id),
      floor_cents bigint not null check (floor_cents > 0),
      currency text not null,
      updated_at timestamptz not null
    );
    alter table quotes add column offer_id text collate "C";
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table quotes drop column offer_id;
    drop table offer_floors;
    drop table offers;
  `);
}
