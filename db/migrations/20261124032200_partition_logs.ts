import type { Knex } from 'knex';

/**
 * Puts each log, as it is, into a partitioned table of its name: the constraint says that all of it fits, so nothing
 * is read. Later partitions are made ahead by the fleet; what has none yet goes to the default one.
 *
 * Attempts of before still go with their deliveries. Later ones have no foreign key: each is written with its
 * delivery, and goes with its partition.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_attempts rename to webhook_attempts_before;
    alter index webhook_attempts_pkey rename to webhook_attempts_before_pkey;
    create table webhook_attempts (
      delivery_id text collate "C" not null,
      attempt integer not null,
      started_at timestamptz not null,
      elapsed_ms integer not null,
      status smallint,
      outcome text not null,
      response_excerpt text,
      next_attempt_at timestamptz,
      detail text,
      request_headers jsonb,
      response_headers jsonb,
      response_body text,
      primary key (delivery_id, attempt)
    ) partition by range (delivery_id);

    drop index api_requests_by_age;
    alter table api_requests rename to api_requests_before;
    alter index api_requests_pkey rename to api_requests_before_pkey;
    alter index api_requests_refused rename to api_requests_before_refused;
    alter table api_requests_before rename constraint api_requests_environment_check to api_requests_before_environment;
    create table api_requests (
      id text collate "C" not null,
      partner_id text collate "C" not null,
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      key_id text collate "C" not null,
      request_id text collate "C" not null,
      method text not null,
      path text not null,
      status smallint not null,
      error_code text,
      elapsed_ms integer not null,
      canonical_string text,
      created_at timestamptz not null,
      primary key (partner_id, environment, id)
    ) partition by range (id);
    create index api_requests_refused on api_requests (partner_id, environment, id) where status >= 400;
    alter table api_requests_before rename constraint api_requests_before_environment to api_requests_environment_check;

    do $$
    declare
      log text;
      cut text;
    begin
      foreach log in array array['webhook_attempts', 'api_requests'] loop
        select substring(pg_get_constraintdef(oid) from '''([^'']+)''') into strict cut
        from pg_constraint where conname = log || '_before' and conrelid = (log || '_before')::regclass;
        execute format('alter table %I attach partition %I for values from (minvalue) to (%L)',
          log, log || '_before', cut);
        execute format('alter table %I drop constraint %I', log || '_before', log || '_before');
        execute format('create table %I partition of %I default', log || '_default', log);
      end loop;
    end $$;

    -- The partitions of a table by range, as text: that without a lower bound begins at ''.
    create function range_partitions(parent text) returns table (name text, lower text, upper text)
    language sql stable strict as $$
      select c.relname::text, coalesce(substring(bound from 'FROM \\(''([^'']*)''\\)'), ''),
        substring(bound from 'TO \\(''([^'']*)''\\)')
      from pg_inherits i join pg_class c on c.oid = i.inhrelid,
        lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
      where i.inhparent = to_regclass(parent) and bound like 'FOR VALUES FROM%'
    $$;

    -- Makes a partition, with what of it the default one took meanwhile; false when there is one for that range, or
    -- when the locks are not free.
    create function add_range_partition(parent text, key text, name text, lower text, upper text) returns boolean
    language plpgsql strict set lock_timeout = '500ms' as $$
    begin
      if exists (select 1 from range_partitions(parent) p
          where p.upper collate "C" > add_range_partition.lower and p.lower collate "C" < add_range_partition.upper) then
        return false;
      end if;
      execute format('lock table %I in access exclusive mode', parent || '_default');
      execute format('create table %I (like %I including defaults including constraints)', name, parent);
      execute format('with moved as (delete from %I where %I >= %L and %I < %L returning *)
        insert into %I select * from moved', parent || '_default', key, lower, key, upper, name);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, lower, upper);
      return true;
    exception when lock_not_available or duplicate_table then
      return false;
    end $$;

    -- Drops the first partition that ends at or before a value; its name, or null when none does or when the locks
    -- are not free. What is as old in the default one goes with the last.
    create function drop_range_partition(parent text, key text, before text) returns text
    language plpgsql strict set lock_timeout = '500ms' as $$
    declare
      dropped text := (select name from range_partitions(parent) where upper collate "C" <= before
        order by upper collate "C" limit 1);
    begin
      if dropped is null then
        execute format('delete from %I where %I < %L', parent || '_default', key, before);
        return null;
      end if;
      execute format('drop table %I', dropped);
      return dropped;
    exception when lock_not_available then
      return null;
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function drop_range_partition(text, text, text);
    drop function add_range_partition(text, text, text, text, text);
    drop function range_partitions(text);

    alter table webhook_attempts rename to webhook_attempts_parted;
    create table webhook_attempts (like webhook_attempts_parted);
    insert into webhook_attempts select a.* from webhook_attempts_parted a
      join webhook_deliveries d on d.id = a.delivery_id;
    drop table webhook_attempts_parted;
    alter table webhook_attempts add primary key (delivery_id, attempt),
      add foreign key (delivery_id) references webhook_deliveries on delete cascade;

    alter table api_requests rename to api_requests_parted;
    create table api_requests (like api_requests_parted including constraints);
    insert into api_requests select * from api_requests_parted;
    drop table api_requests_parted;
    alter table api_requests add primary key (partner_id, environment, id);
    create index api_requests_by_age on api_requests (created_at);
    create index api_requests_refused on api_requests (partner_id, environment, id) where status >= 400;
  `);
}
