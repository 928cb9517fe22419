import type { Knex } from 'knex';

/**
 * Puts all timelines, as they are, into a partitioned table of their name: the constraint says that they fit, so nothing
 * is read but what sandboxes have ahead. Ids of orders sort by time, so that partitions by them are partitions by time,
 * and the timeline of an order is in one. The key begins with the order, too: no further index finds a timeline.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Orders lose triggers of the foreign key, and come first, as for who adds to a timeline. A sale that is recorded
    -- takes them the other way around: it is let pass before that would be a deadlock.
    lock table orders in access exclusive mode;
    set local lock_timeout = '200ms';
    lock table order_timeline in access exclusive mode;
    drop trigger keep_timelines_ahead on order_timeline;
    drop function keep_timelines_ahead();
    alter table order_timeline_default no inherit order_timeline;
    alter table order_timeline drop constraint order_timeline_pkey;
    drop index order_timeline_by_order;
    do $$
    declare
      used bigint := (select last_value from order_timeline_id_seq);
    begin
      alter table order_timeline alter column id drop identity;
      execute format('create sequence order_timeline_id_seq start with %s', used + 1);
    end $$;
    alter table order_timeline rename to order_timeline_before;
    alter table order_timeline_before add constraint order_timeline_before_pkey primary key using index order_timeline_key;

    create table order_timeline (like order_timeline_before, primary key (order_id, id),
      constraint order_timeline_order_id_fkey foreign key (order_id) references orders) partition by range (order_id);
    alter table order_timeline alter column id set default nextval('order_timeline_id_seq');
    alter sequence order_timeline_id_seq owned by order_timeline.id;

    do $$
    declare
      cut text;
      grants text;
    begin
      select string_agg(format('grant %s on order_timeline to %s; grant usage on order_timeline_id_seq to %2$s;',
        a.privilege_type, a.grantee::regrole), ' ') into grants
      from pg_class c, aclexplode(c.relacl) a
      where c.oid = 'order_timeline_before'::regclass and a.grantee not in (0, c.relowner);
      execute coalesce(grants, '');
      select substring(pg_get_constraintdef(oid) from '''([^'']+)''') into strict cut
      from pg_constraint where conname = 'order_timeline_before' and conrelid = 'order_timeline_before'::regclass;
      execute format('alter table order_timeline attach partition order_timeline_before
        for values from (minvalue) to (%L)', cut);
    end $$;
    alter table order_timeline_before drop constraint order_timeline_before;
    alter table order_timeline attach partition order_timeline_default default;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table orders, order_timeline in access exclusive mode;
    alter table order_timeline rename to order_timeline_parted;
    alter index order_timeline_pkey rename to order_timeline_parted_pkey;
    create table order_timeline (like order_timeline_parted);
    insert into order_timeline select * from order_timeline_parted;
    drop table order_timeline_parted;
    alter table order_timeline add primary key (id), add foreign key (order_id) references orders;
    create index order_timeline_by_order on order_timeline (order_id, id);
    create unique index order_timeline_key on order_timeline (order_id, id);
    do $$ begin
      execute format('alter table order_timeline alter column id add generated always as identity (start with %s)',
        (select coalesce(max(id), 0) + 1 from order_timeline));
    end $$;

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
        no inherit', cut);
    end $$;
  `);
}
