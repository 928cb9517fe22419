import type { Knex } from 'knex';

/** Payouts with what they pay, and the tallies behind the totals of `/transactions`. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table payouts (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      source text not null check (source in ('hosted_checkout', 'brokerage', 'referral')),
      amount_cents bigint not null check (amount_cents > 0),
      currency text not null,
      status text not null check (status in ('pending', 'paid', 'failed')),
      settlement_id text collate "C" references settlements (id),
      reference text,
      failure_reason text,
      created_at timestamptz not null,
      paid_at timestamptz,
      failed_at timestamptz
    );
    create index payouts_newest on payouts (partner_id, environment, created_at desc, id desc);
    create index payouts_pending on payouts (created_at, id) where status = 'pending';

    -- What a statement adds to the commissions that we owe, by source; negative for clawbacks. A payout
    -- takes whole rows, so that paying a million lines touches a handful of rows.
    create table settlement_payables (
      settlement_id text collate "C" not null references settlements (id),
      source text not null check (source in ('hosted_checkout', 'brokerage')),
      partner_id text collate "C" not null references partners (id),
      environment text not null,
      currency text not null,
      amount_cents bigint not null check (amount_cents <> 0),
      payout_id text collate "C" references payouts (id),
      released_at timestamptz,
      primary key (settlement_id, source)
    );
    create index settlement_payables_open on settlement_payables (partner_id, environment)
      where payout_id is null;
    create index settlement_payables_by_payout on settlement_payables (payout_id)
      where payout_id is not null;

    insert into settlement_payables (settlement_id, source, partner_id, environment, currency, amount_cents,
      released_at)
    select s.id, l.payment_model, s.partner_id, s.environment, s.currency, sum(l.commission_cents), s.closed_at
    from settlements s join settlement_lines l on l.settlement_id = s.id
    where s.status <> 'closing' and l.payment_model <> 'merchant_of_record'
    group by s.id, l.payment_model having sum(l.commission_cents) <> 0;
  `);
  await createTallies(knex);
}

/**
 * Counts and sums of transactions by UTC day and what they are filtered by. Triggers only ever add deltas,
 * so that sales of one partner do not wait for each other; a sweep folds them into the tallies.
 */
async function createTallies(knex: Knex): Promise<void> {
  await knex.raw(`
    create table transaction_tallies (
      partner_id text collate "C" not null,
      environment text not null,
      day date not null,
      status text not null,
      payment_model text not null,
      currency text not null,
      transactions bigint not null,
      gmv_cents bigint not null,
      commission_cents bigint not null,
      primary key (partner_id, environment, day, status, payment_model, currency)
    );
    create table transaction_deltas (
      id bigint generated always as identity primary key,
      partner_id text collate "C" not null,
      environment text not null,
      day date not null,
      status text not null,
      payment_model text not null,
      currency text not null,
      transactions bigint not null,
      gmv_cents bigint not null,
      commission_cents bigint not null
    );
    create index transaction_deltas_by_day on transaction_deltas (partner_id, environment, day);

    create function tally_orders() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into transaction_deltas (partner_id, environment, day, status, payment_model, currency,
          transactions, gmv_cents, commission_cents)
        select partner_id, environment, (created_at at time zone 'UTC')::date, status, payment_model, currency,
          count(*), sum(sale_price_cents), sum(commission_cents)
        from added group by 1, 2, 3, 4, 5, 6;
      else
        insert into transaction_deltas (partner_id, environment, day, status, payment_model, currency,
          transactions, gmv_cents, commission_cents)
        select partner_id, environment, (created_at at time zone 'UTC')::date, status, payment_model, currency,
          sum(n), sum(n * sale_price_cents), sum(n * commission_cents)
        from (select 1 as n, a.* from added a union all select -1, r.* from removed r) o
        group by 1, 2, 3, 4, 5, 6
        having sum(n) <> 0 or sum(n * sale_price_cents) <> 0 or sum(n * commission_cents) <> 0;
      end if;
      return null;
    end $$;
    create trigger orders_tally_insert after insert on orders
      referencing new table as added for each statement execute function tally_orders();
    create trigger orders_tally_update after update on orders
      referencing new table as added old table as removed for each statement execute function tally_orders();

    -- A refund is a transaction of its own, with the amounts of its order taken back.
    create function tally_refunds() returns trigger language plpgsql as $$
    begin
      insert into transaction_deltas (partner_id, environment, day, status, payment_model, currency,
        transactions, gmv_cents, commission_cents)
      select r.partner_id, r.environment, (r.created_at at time zone 'UTC')::date,
        case r.kind when 'cancellation' then 'CANCELLED' else 'REFUNDED' end, o.payment_model, o.currency,
        count(*), -sum(o.sale_price_cents), -sum(o.commission_cents)
      from added r join orders o on o.id = r.order_id group by 1, 2, 3, 4, 5, 6;
      return null;
    end $$;
    create trigger refunds_tally_insert after insert on refunds
      referencing new table as added for each statement execute function tally_refunds();

    insert into transaction_tallies (partner_id, environment, day, status, payment_model, currency,
      transactions, gmv_cents, commission_cents)
    select t.partner_id, t.environment, (t.at at time zone 'UTC')::date, t.status, t.payment_model, t.currency,
      count(*), sum(t.price), sum(t.commission)
    from (
      select partner_id, environment, created_at as at, status, payment_model, currency,
        sale_price_cents as price, commission_cents as commission from orders
      union all
      select r.partner_id, r.environment, r.created_at,
        case r.kind when 'cancellation' then 'CANCELLED' else 'REFUNDED' end, o.payment_model, o.currency,
        -o.sale_price_cents, -o.commission_cents
      from refunds r join orders o on o.id = r.order_id) t
    group by 1, 2, 3, 4, 5, 6;

    -- A page of a filtered list is found in the index, however rare what is asked for.
    create index orders_newest_by_kind on orders
      (partner_id, environment, status, payment_model, created_at desc, id desc);
    create index refunds_newest on refunds (partner_id, environment, created_at desc, order_id desc);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index refunds_newest, orders_newest_by_kind;
    drop trigger refunds_tally_insert on refunds;
    drop trigger orders_tally_update on orders;
    drop trigger orders_tally_insert on orders;
    drop function tally_refunds();
    drop function tally_orders();
    drop table transaction_deltas, transaction_tallies, settlement_payables, payouts;
  `);
}
