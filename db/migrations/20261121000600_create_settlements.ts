import type { Knex } from 'knex';

/** Statements with their lines, and the runs that close periods. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table settlements (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      currency text not null,
      period_start timestamptz not null,
      period_end timestamptz not null check (period_end > period_start),
      status text not null check (status in ('closing', 'closed', 'paid')),
      orders_count integer not null default 0,
      gross_sold_cents bigint not null default 0,
      commission_retained_cents bigint not null default 0,
      adjustments_cents bigint not null default 0,
      amount_owed_cents bigint not null default 0,
      closed_at timestamptz,
      due_at timestamptz,
      paid_at timestamptz,
      payment_reference text,
      created_at timestamptz not null,
      unique (partner_id, environment, currency, period_start)
    );
    create index settlements_newest on settlements (partner_id, environment, id desc);

    -- The primary key makes it impossible to settle a sale, or claw it back, twice.
    create table settlement_lines (
      order_id text collate "C" not null references orders (id),
      kind text not null check (kind in ('sale', 'clawback')),
      settlement_id text collate "C" not null references settlements (id),
      domain text not null,
      payment_model text not null,
      sale_price_cents bigint not null,
      commission_cents bigint not null,
      amount_owed_cents bigint not null,
      occurred_at timestamptz not null,
      primary key (order_id, kind)
    );
    create index settlement_lines_by_settlement on settlement_lines (settlement_id, occurred_at, order_id);

    create table settlement_runs (
      id text collate "C" primary key,
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      period text,
      until timestamptz,
      partner_id text collate "C" references partners (id),
      requested_by text not null,
      status text not null check (status in ('queued', 'running', 'completed')),
      created_at timestamptz not null,
      finished_at timestamptz
    );
    create table settlement_run_partners (
      run_id text collate "C" not null references settlement_runs (id),
      partner_id text collate "C" not null references partners (id),
      state text not null check (state in ('queued', 'done')),
      settlement_ids text[] not null default '{}',
      primary key (run_id, partner_id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'drop table settlement_run_partners, settlement_runs, settlement_lines, settlements',
  );
}
