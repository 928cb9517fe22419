import type { Knex } from 'knex';

/** Makes writers wait before they choose a partition: a row already waiting for the default one would be refused. */
const WRITERS_WAIT = `
      -- Writers choose a partition after this. The tables of foreign keys come first, as in their transactions.
      execute format('lock table only %s in share row exclusive mode',
        (select concat_ws(', only ', string_agg(distinct confrelid::regclass::text, ', only '), quote_ident(parent))
         from pg_constraint where conrelid = to_regclass(parent) and contype = 'f'));`;

const define = (firstLock: string) => `
  create or replace function add_range_partition(parent text, key text, name text, lower text, upper text)
    returns boolean language plpgsql strict security definer
    set search_path to 'public', 'pg_temp' set lock_timeout to '500ms'
  as $function$
    declare
      model text := parent || '_default';
      settings text := (select array_to_string(reloptions, ', ') from pg_class where oid = to_regclass(model));
      -- Triggers of whole statements: a partition has those of rows from its table.
      triggers text[] := array(select pg_get_triggerdef(oid) from pg_trigger
        where tgrelid = to_regclass(model) and not tgisinternal and tgparentid = 0);
    begin
      if exists (select 1 from range_partitions(parent) p
          where range_order(p.upper) collate "C" > range_order(add_range_partition.lower)
            and range_order(p.lower) collate "C" < range_order(add_range_partition.upper)) then
        return false;
      end if;${firstLock}
      execute format('lock table %I in access exclusive mode', model);
      execute format('create table %I (like %I including all)', name, model);
      if settings is not null then
        execute format('alter table %I set (%s)', name, settings);
      end if;
      if cardinality(triggers) > 0 then
        -- Rows move, which is no change of them.
        execute format('alter table %I disable trigger user', model);
      end if;
      execute format('with moved as (delete from %I where %I >= %L and %I < %L returning *)
        insert into %I select * from moved', model, key, lower, key, upper, name);
      if cardinality(triggers) > 0 then
        execute format('alter table %I enable trigger user', model);
        execute (select string_agg(replace(each, format(' ON public.%I ', model), format(' ON public.%I ', name)), ';')
          from unnest(triggers) each);
      end if;
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, lower, upper);
      return true;
    exception when lock_not_available or duplicate_table then
      return false;
    end $function$`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(define(WRITERS_WAIT));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(define(''));
}
