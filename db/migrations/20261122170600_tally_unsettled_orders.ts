import type { Knex } from 'knex';

/**
 * What each partner's running statement holds of delivered orders, by the day of their delivery: kept as
 * changes, which concurrent moves of orders can write without waiting for each other, and folded into tallies
 * by a worker. A sum is over both, so it is exact at any time. Writes of orders wait while what is unsettled now
 * is added up, a second or so for half a million orders.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table orders in share row exclusive mode;
    create table unsettled_tallies (
      partner_id text collate "C" not null,
      environment text not null,
      -- Of the delivery, in UTC.
      day date not null,
      payment_model text not null,
      currency text not null,
      orders bigint not null,
      gross_cents bigint not null,
      commission_cents bigint not null,
      primary key (partner_id, environment, day, payment_model, currency)
    );
    create table unsettled_deltas (
      id bigint generated always as identity primary key,
      partner_id text collate "C" not null,
      environment text not null,
      day date not null,
      payment_model text not null,
      currency text not null,
      orders bigint not null,
      gross_cents bigint not null,
      commission_cents bigint not null
    );
    create index unsettled_deltas_by_day on unsettled_deltas (partner_id, environment, day);

    insert into unsettled_tallies
    select partner_id, environment, (transfer_completed_at at time zone 'UTC')::date, payment_model, currency,
      count(*), sum(sale_price_cents), sum(commission_cents)
    from orders where transfer_completed_at is not null and settlement_id is null
    group by 1, 2, 3, 4, 5;

    create function tally_unsettled() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into unsettled_deltas (partner_id, environment, day, payment_model, currency, orders,
          gross_cents, commission_cents)
        select partner_id, environment, (transfer_completed_at at time zone 'UTC')::date, payment_model, currency,
          count(*), sum(sale_price_cents), sum(commission_cents)
        from added where transfer_completed_at is not null and settlement_id is null
        group by 1, 2, 3, 4, 5;
      else
        insert into unsettled_deltas (partner_id, environment, day, payment_model, currency, orders,
          gross_cents, commission_cents)
        select partner_id, environment, (transfer_completed_at at time zone 'UTC')::date, payment_model, currency,
          sum(n), sum(n * sale_price_cents), sum(n * commission_cents)
        from (select 1 as n, a.* from added a union all select -1, r.* from removed r) o
        where transfer_completed_at is not null and settlement_id is null
        group by 1, 2, 3, 4, 5
        having sum(n) <> 0 or sum(n * sale_price_cents) <> 0 or sum(n * commission_cents) <> 0;
      end if;
      return null;
    end $$;
    create trigger orders_tally_unsettled_insert after insert on orders
      referencing new table as added for each statement execute function tally_unsettled();
    create trigger orders_tally_unsettled_update after update on orders
      referencing old table as removed new table as added
      for each statement execute function tally_unsettled();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger orders_tally_unsettled_insert on orders;
    drop trigger orders_tally_unsettled_update on orders;
    drop function tally_unsettled();
    drop table unsettled_deltas, unsettled_tallies;
  `);
}
