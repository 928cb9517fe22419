import type { Knex } from 'knex';

/** The sellable inventory of both environments. "held" is not stored: an open quote holds a listing. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table listings (
      id bigint generated always as identity primary key,
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      domain text collate "C" not null,
      domain_unicode text not null,
      sld text not null,
      tld text collate "C" not null,
      status text not null default 'listed' check (status in ('listed', 'sold', 'delisted')),
      price_cents bigint not null check (price_cents > 0),
      floor_price_cents bigint check (floor_price_cents > 0 and floor_price_cents <= price_cents),
      currency text not null default 'USD' check (currency ~ '^[A-Z]{3}$'),
      offers_accepted boolean not null default false,
      category text,
      description text,
      keywords text[] not null default '{}',
      listed_at timestamptz not null,
      updated_at timestamptz not null,
      unique (environment, domain)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table listings');
}
