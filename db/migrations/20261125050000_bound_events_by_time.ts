import type { Knex } from 'knex';

/**
 * Events become partitions of a month. What is there ends before the first day of one of the next two months: new rows
 * are checked at once, those that are there by the next migration.
 *
 * A sandbox whose clock is ahead has events beyond that. They go to a table of their own, which will be the default
 * partition; until then it is one that inherits, so that `events` has all of them all the time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    set local lock_timeout = '200ms';
    create or replace function pg_temp.id_prefix_at(kind text, at timestamptz) returns text language sql immutable strict as $$
      select kind || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
        1 + ((extract(epoch from at) * 1000)::bigint >> (5 * place) & 31)::int, 1), '' order by place desc)
      from generate_series(0, 9) place
    $$;

    create table events_default (primary key (id)) inherits (events);
    create unique index events_default_positions on events_default (partner_id, environment, position);
    create function keep_events_ahead() returns trigger language plpgsql security definer
    set search_path = public, pg_temp as $$ begin
      insert into events_default select new.*;
      return null;
    end $$;

    do $$
    declare
      cut text := pg_temp.id_prefix_at('evt', date_trunc('month', now() + interval '8 days', 'UTC') + interval '1 month');
    begin
      execute format('create trigger keep_events_ahead before insert on events
        for each row when (new.id >= %L) execute function keep_events_ahead()', cut);
      execute format('with moved as (delete from only events where id >= %L returning *)
        insert into events_default select * from moved', cut);
      execute format('alter table events add constraint events_before check (id < %L) no inherit not valid', cut);
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table events drop constraint if exists events_before;
    drop trigger if exists keep_events_ahead on events;
    drop function if exists keep_events_ahead();
    create table if not exists events_default () inherits (events);
    alter table events_default no inherit events;
    insert into events select * from events_default;
    drop table events_default;
  `);
}
