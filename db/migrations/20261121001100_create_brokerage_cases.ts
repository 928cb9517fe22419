import type { Knex } from 'knex';

/** Brokerage cases and the story of each. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table brokerage_cases (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      domain text collate "C" not null,
      tier text not null check (tier in ('managed', 'self_serve')),
      status text not null check (status in ('OPEN', 'CONTACTING_OWNER', 'NEGOTIATING', 'AGREED',
        'COMPLETED', 'CLOSED_NO_DEAL', 'CANCELLED')),
      buyer_email text not null,
      budget_cents bigint not null check (budget_cents > 0),
      currency text not null,
      latest_offer_cents bigint check (latest_offer_cents > 0),
      deal_price_cents bigint check (deal_price_cents > 0),
      commission_cents bigint check (commission_cents >= 0),
      order_id text collate "C" unique references orders (id),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      closed_at timestamptz,
      constraint brokerage_cases_close_once check (
        (closed_at is null) = (status in ('OPEN', 'CONTACTING_OWNER', 'NEGOTIATING', 'AGREED'))),
      -- A completed case has its deal, and no other case has one.
      constraint brokerage_cases_complete_with_a_deal check (
        (status = 'COMPLETED') = (deal_price_cents is not null)
        and (deal_price_cents is null) = (commission_cents is null)
        and (deal_price_cents is null) = (order_id is null))
    );
    -- Two brokers must never talk to one owner.
    create unique index brokerage_cases_one_open_per_domain on brokerage_cases (environment, domain)
      where closed_at is null;
    create index brokerage_cases_newest
      on brokerage_cases (partner_id, environment, created_at desc, id desc);
    create index brokerage_cases_open_work on brokerage_cases (created_at, id) where closed_at is null;

    create table brokerage_timeline (
      id bigint generated always as identity primary key,
      case_id text collate "C" not null references brokerage_cases (id),
      at timestamptz not null,
      status text not null,
      event text not null,
      made_by text not null check (made_by in ('partner', 'buyer', 'ops')),
      amount_cents bigint
    );
    create index brokerage_timeline_by_case on brokerage_timeline (case_id, id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table brokerage_timeline, brokerage_cases');
}
