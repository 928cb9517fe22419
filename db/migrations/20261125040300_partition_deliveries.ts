import type { Knex } from 'knex';

const INDEXES: Readonly<Record<string, string>> = {
  webhook_deliveries_by_endpoint: '(endpoint_id, id desc)',
  webhook_deliveries_by_event: '(event_id)',
  webhook_deliveries_by_replay: '(replay_id, state) where replay_id is not null',
  webhook_deliveries_by_time: `(next_attempt_at, endpoint_id) where coalesce(state = 'pending', false)`,
  webhook_deliveries_due: `(least(attempts, 1), endpoint_id, next_attempt_at) where state = 'pending'`,
  webhook_deliveries_in_flight: `(endpoint_id) where state = 'dispatched'`,
  webhook_deliveries_in_order: `(endpoint_id, subject, position)
    where subject is not null and state in ('pending', 'dispatched')`,
  webhook_deliveries_newest: '(partner_id, environment, id desc)',
  webhook_deliveries_not_delivered: `(partner_id, environment, id desc) where coalesce(state <> 'delivered', false)`,
};

const SETTINGS = 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000';

const renamed = (from: string, to: string) =>
  ['pkey', ...Object.keys(INDEXES).map((name) => name.replace('webhook_deliveries_', ''))]
    .map((name) => `alter index ${from}_${name} rename to ${to}_${name};`)
    .join('\n');

const created = Object.entries(INDEXES)
  .map(([name, definition]) => `create index ${name} on webhook_deliveries ${definition};`)
  .join('\n');

const STATES = `constraint webhook_deliveries_state_check
  check (state in ('pending', 'dispatched', 'delivered', 'exhausted', 'cancelled'))`;

/**
 * Puts all deliveries, as they are, into a partitioned table of their name: the constraint says that they fit, so
 * nothing is read. A partition is made as the default one is, with its indexes and settings.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_deliveries rename to webhook_deliveries_before;
    ${renamed('webhook_deliveries', 'webhook_deliveries_before')}
    create table webhook_deliveries (like webhook_deliveries_before including defaults, primary key (id), ${STATES})
      partition by range (id);
    ${created}

    do $$
    declare
      cut text;
    begin
      select substring(pg_get_constraintdef(oid) from '''([^'']+)''') into strict cut
      from pg_constraint where conname = 'webhook_deliveries_before' and conrelid = 'webhook_deliveries_before'::regclass;
      execute format('alter table webhook_deliveries attach partition webhook_deliveries_before
        for values from (minvalue) to (%L)', cut);
    end $$;
    alter table webhook_deliveries_before drop constraint webhook_deliveries_before;
    create table webhook_deliveries_default partition of webhook_deliveries default with (${SETTINGS});

    create or replace function add_range_partition(parent text, key text, name text, lower text, upper text)
    returns boolean language plpgsql strict security definer
    set search_path = public, pg_temp set lock_timeout = '500ms' as $$
    declare
      model text := parent || '_default';
      settings text := (select array_to_string(reloptions, ', ') from pg_class where oid = to_regclass(model));
    begin
      if exists (select 1 from range_partitions(parent) p
          where p.upper collate "C" > add_range_partition.lower and p.lower collate "C" < add_range_partition.upper) then
        return false;
      end if;
      execute format('lock table %I in access exclusive mode', model);
      execute format('create table %I (like %I including all)', name, model);
      if settings is not null then
        execute format('alter table %I set (%s)', name, settings);
      end if;
      execute format('with moved as (delete from %I where %I >= %L and %I < %L returning *)
        insert into %I select * from moved', model, key, lower, key, upper, name);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, lower, upper);
      return true;
    exception when lock_not_available or duplicate_table then
      return false;
    end $$;

    -- The same as drop_range_partition of a table whose rows have a state: a partition stays as long as one of its rows
    -- is in one of these, and so does such a row in the default partition.
    create function drop_finished_partition(parent text, key text, before text, unfinished text[]) returns text
    language plpgsql strict security definer
    set search_path = public, pg_temp set lock_timeout = '500ms' set enable_seqscan = off as $$
    declare
      old text;
      is_kept boolean;
    begin
      for old in select name from range_partitions(parent) where upper collate "C" <= before order by upper collate "C"
      loop
        execute (select 'select ' || string_agg(format('exists (select from %I where state = %L)', old, each), ' or ')
          from unnest(unfinished) each) into is_kept;
        continue when is_kept;
        execute format('drop table %I', old);
        return old;
      end loop;
      execute format('delete from %I where %I < %L and state <> all(%L)', parent || '_default', key, before, unfinished);
      return null;
    exception when lock_not_available then
      return null;
    end $$;
    revoke execute on function drop_finished_partition(text, text, text, text[]) from public;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function drop_finished_partition(text, text, text, text[]);

    alter table webhook_deliveries rename to webhook_deliveries_parted;
    ${renamed('webhook_deliveries', 'webhook_deliveries_parted')}
    create table webhook_deliveries (like webhook_deliveries_parted including defaults, ${STATES}) with (${SETTINGS});
    insert into webhook_deliveries select * from webhook_deliveries_parted;
    drop table webhook_deliveries_parted;
    alter table webhook_deliveries add primary key (id);
    ${created}
    create index webhook_deliveries_by_age on webhook_deliveries using brin (created_at)
      with (pages_per_range = 32, autosummarize = on);
  `);
}
