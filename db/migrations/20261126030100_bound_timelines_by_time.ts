import type { Knex } from 'knex';

/**
 * Timelines become partitions of a month of their orders. What is there ends before the first day of one of the next two
 * months: new rows are checked at once, those that are there by the next migration.
 *
 * A sandbox whose clock is ahead has orders beyond that. Their timelines go to a table of their own, which will be the
 * default partition; until then it is one that inherits, so that `order_timeline` has all of them all the time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table order_timeline in access exclusive mode;
    create or replace function pg_temp.id_prefix_at(kind text, at timestamptz) returns text language sql immutable strict as $$
      select kind || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
        1 + ((extract(epoch from at) * 1000)::bigint >> (5 * place) & 31)::int, 1), '' order by place desc)
      from generate_series(0, 9) place
    $$;

    create table order_timeline_default (primary key (order_id, id)) inherits (order_timeline);
    create function keep_timelines_ahead() returns trigger language plpgsql security definer
    set search_path = public, pg_temp as $$ begin
      insert into order_timeline_default select new.*;
      return null;
    end $$;

    do $$
    declare
      cut text := pg_temp.id_prefix_at('ord',
        (date_trunc('month', (now() + interval '8 days') at time zone 'UTC') + interval '1 month') at time zone 'UTC');
    begin
      execute format('create trigger keep_timelines_ahead before insert on order_timeline
        for each row when (new.order_id >= %L) execute function keep_timelines_ahead()', cut);
      execute format('with moved as (delete from only order_timeline where order_id >= %L returning *)
        insert into order_timeline_default select * from moved', cut);
      execute format('alter table order_timeline add constraint order_timeline_before check (order_id < %L)
        no inherit not valid', cut);
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table order_timeline drop constraint order_timeline_before;
    drop trigger keep_timelines_ahead on order_timeline;
    drop function keep_timelines_ahead();
    alter table order_timeline_default no inherit order_timeline;
    insert into order_timeline overriding system value select * from order_timeline_default;
    drop table order_timeline_default;
  `);
}
