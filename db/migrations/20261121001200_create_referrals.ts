import type { Knex } from 'knex';

/**
 * Referral links, what became of their clicks by day, the sales that they led to, and the append-only
 * history of the commissions on those.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table referral_links (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      kind text not null check (kind in ('generic', 'domain', 'product')),
      domain text,
      product text,
      label text,
      sub_id text,
      code text collate "C" not null constraint referral_links_code unique,
      -- Basis points; fixed when the link is made.
      commission_bps integer not null check (commission_bps between 0 and 10000),
      created_at timestamptz not null,
      check ((kind = 'domain') = (domain is not null)),
      check ((kind = 'product') = (product is not null))
    );
    create index referral_links_newest on referral_links (partner_id, environment, id desc);

    -- All that is left of clicks once they are rolled up. Partner and environment are those of the link.
    create table referral_daily (
      link_id text collate "C" not null references referral_links (id),
      day date not null,
      partner_id text collate "C" not null,
      environment text not null,
      clicks bigint not null default 0,
      unique_clicks bigint not null default 0,
      checkouts bigint not null default 0,
      primary key (link_id, day)
    );
    create index referral_daily_by_partner on referral_daily (partner_id, environment, day);

    -- Batches of clicks that are counted: what is found in Redis again is not counted again.
    create table referral_click_batches (
      id text collate "C" primary key,
      applied_at timestamptz not null
    );
    create index referral_click_batches_by_age on referral_click_batches (applied_at);

    -- An attributed sale and where its commission stands. Partner: the affiliate's, not the seller's.
    create table referral_sales (
      order_id text collate "C" primary key references orders (id),
      link_id text collate "C" not null references referral_links (id),
      partner_id text collate "C" not null references partners (id),
      environment text not null,
      amount_cents bigint not null,
      commission_cents bigint not null check (commission_cents >= 0),
      currency text not null,
      state text not null default 'accrued' check (state in ('accrued', 'pending', 'paid_out', 'reversed')),
      clicked_at timestamptz,
      sold_at timestamptz not null,
      pending_at timestamptz,
      paid_out_at timestamptz,
      reversed_at timestamptz,
      -- The payout that carries the commission, and the one that took it back when it was paid already.
      payout_id text collate "C",
      recovery_payout_id text collate "C"
    );
    create index referral_sales_newest on referral_sales
      (partner_id, environment, sold_at desc, order_id desc);
    create index referral_sales_by_link on referral_sales (link_id, sold_at);
    create index referral_sales_payable on referral_sales (partner_id, environment, currency)
      where payout_id is null and state = 'pending';
    create index referral_sales_recoverable on referral_sales (partner_id, environment, currency)
      where recovery_payout_id is null and state = 'reversed' and paid_out_at is not null;
    create index referral_sales_by_payout on referral_sales (payout_id) where payout_id is not null;
    create index referral_sales_by_recovery on referral_sales (recovery_payout_id)
      where recovery_payout_id is not null;

    -- What we owe an affiliate now. Its row is locked while history is written, so that balances run.
    create table referral_balances (
      partner_id text collate "C" not null references partners (id),
      environment text not null,
      currency text not null,
      balance_cents bigint not null,
      primary key (partner_id, environment, currency)
    );

    create table referral_commissions (
      id text collate "C" primary key,
      position bigint generated always as identity unique,
      partner_id text collate "C" not null references partners (id),
      environment text not null,
      currency text not null,
      type text not null check (type in ('accrued', 'pending', 'paid_out', 'reversed')),
      amount_cents bigint not null check (amount_cents <> 0),
      balance_cents bigint not null,
      order_id text collate "C",
      payout_id text collate "C",
      created_at timestamptz not null
    );
    create index referral_commissions_newest on referral_commissions (partner_id, environment, position desc);
    create index referral_commissions_by_order on referral_commissions (order_id) where order_id is not null;
    -- A payout is told once.
    create unique index referral_commissions_by_payout on referral_commissions (payout_id)
      where payout_id is not null;
    create trigger referral_commissions_append_only before update or delete or truncate
      on referral_commissions for each statement execute function ledger_is_append_only();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table referral_commissions, referral_balances, referral_sales, referral_click_batches,
      referral_daily, referral_links;
  `);
}
