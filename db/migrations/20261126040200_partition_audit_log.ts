import type { Knex } from 'knex';

const renamed = (from: string, to: string) =>
  ['pkey', 'by_subject', 'by_time']
    .map((name) => `alter index ${from}_${name} rename to ${to}_${name};`)
    .join('\n');

/** Of the table that has the name now. */
const PARTS = `
    create index audit_log_by_subject on audit_log (subject, id);
    create index audit_log_by_time on audit_log (at);
    create function audit_entry_text(entry audit_log) returns text language sql stable as $$
      select jsonb_build_array(entry.id, extract(epoch from entry.at), entry.actor, entry.action, entry.subject,
        entry.before, entry.after)::text
    $$;
    create constraint trigger audit_log_chained after insert on audit_log
      deferrable initially deferred for each row execute function chain_audit_entry();
    ${appendOnly('audit_log')}`;

function appendOnly(table: string): string {
  return `create trigger audit_log_append_only before update or delete or truncate on ${table}
    for each statement execute function audit_log_is_append_only();`;
}

/** What is kept forever loses no partition, whoever asks. */
const REFUSAL = `
      if to_regclass(parent) in ('audit_log'::regclass, 'events'::regclass, 'order_timeline'::regclass) then
        raise exception '% is kept forever', parent using errcode = 'insufficient_privilege';
      end if;`;

/** Those that make and drop partitions: of tables, too, whose changes are refused, or as they were. */
const functions = (refusing: boolean) => `
    create or replace function add_range_partition(parent text, key text, name text, lower text, upper text)
    returns boolean language plpgsql strict security definer
    set search_path = public, pg_temp set lock_timeout = '500ms' as $$
    declare
      model text := parent || '_default';
      settings text := (select array_to_string(reloptions, ', ') from pg_class where oid = to_regclass(model));${
        refusing
          ? `
      -- Triggers of whole statements: a partition has those of rows from its table.
      triggers text[] := array(select pg_get_triggerdef(oid) from pg_trigger
        where tgrelid = to_regclass(model) and not tgisinternal and tgparentid = 0);`
          : ''
      }
    begin
      if exists (select 1 from range_partitions(parent) p
          where range_order(p.upper) collate "C" > range_order(add_range_partition.lower)
            and range_order(p.lower) collate "C" < range_order(add_range_partition.upper)) then
        return false;
      end if;
      execute format('lock table %I in access exclusive mode', model);
      execute format('create table %I (like %I including all)', name, model);
      if settings is not null then
        execute format('alter table %I set (%s)', name, settings);
      end if;${
        refusing
          ? `
      if cardinality(triggers) > 0 then
        -- Rows move, which is no change of them.
        execute format('alter table %I disable trigger user', model);
      end if;`
          : ''
      }
      execute format('with moved as (delete from %I where %I >= %L and %I < %L returning *)
        insert into %I select * from moved', model, key, lower, key, upper, name);${
          refusing
            ? `
      if cardinality(triggers) > 0 then
        execute format('alter table %I enable trigger user', model);
        execute (select string_agg(replace(each, format(' ON public.%I ', model), format(' ON public.%I ', name)), ';')
          from unnest(triggers) each);
      end if;`
            : ''
        }
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, lower, upper);
      return true;
    exception when lock_not_available or duplicate_table then
      return false;
    end $$;

    create or replace function drop_range_partition(parent text, key text, before text) returns text
    language plpgsql strict security definer
    set search_path = public, pg_temp set lock_timeout = '500ms' as $$
    declare
      dropped text := (select name from range_partitions(parent)
        where range_order(upper) collate "C" <= range_order(before) order by range_order(upper) collate "C" limit 1);
    begin${refusing ? REFUSAL : ''}
      if dropped is null then
        execute format('delete from %I where %I < %L', parent || '_default', key, before);
        return null;
      end if;
      execute format('drop table %I', dropped);
      return dropped;
    exception when lock_not_available then
      return null;
    end $$;

    create or replace function drop_finished_partition(parent text, key text, before text, unfinished text[])
    returns text language plpgsql strict security definer
    set search_path = public, pg_temp set lock_timeout = '500ms' set enable_seqscan = off as $$
    declare
      old text;
      is_kept boolean;
    begin${refusing ? REFUSAL : ''}
      for old in select name from range_partitions(parent)
        where range_order(upper) collate "C" <= range_order(before) order by range_order(upper) collate "C"
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
`;

/**
 * Puts the audit trail, as it is, into a partitioned table of its name: the constraint says that it fits, so nothing is
 * read. Ids begin with the second in which a row is made, since 2020, so that partitions by id are partitions by time;
 * those of before are small. Entries are chained whatever partition they are in, and no partition of them can be
 * changed, emptied or dropped.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table audit_log in access exclusive mode;
    drop trigger audit_log_chained on audit_log;
    do $$
    declare
      used bigint := (select last_value from audit_log_id_seq);
    begin
      alter table audit_log alter column id drop identity;
      execute format('create sequence audit_log_id_seq start with %s', used + 1);
    end $$;
    alter table audit_log rename to audit_log_before;
    ${renamed('audit_log', 'audit_log_before')}
    drop function audit_entry_text(audit_log_before);

    create table audit_log (like audit_log_before, primary key (id)) partition by range (id);
    alter table audit_log alter column id set default
      ((floor(extract(epoch from clock_timestamp()))::bigint - 1577836800) << 22) | (nextval('audit_log_id_seq') & 4194303);
    alter sequence audit_log_id_seq owned by audit_log.id;
    ${PARTS}

    do $$
    declare
      cut text;
      grants text;
    begin
      select string_agg(format('grant %s on audit_log to %s; grant usage on audit_log_id_seq to %2$s;',
        a.privilege_type, a.grantee::regrole), ' ') into grants
      from pg_class c, aclexplode(c.relacl) a
      where c.oid = 'audit_log_before'::regclass and a.grantee not in (0, c.relowner);
      execute coalesce(grants, '');
      select substring(pg_get_constraintdef(oid) from '\\d{5,}') into strict cut
      from pg_constraint where conname = 'audit_log_before' and conrelid = 'audit_log_before'::regclass;
      execute format('alter table audit_log attach partition audit_log_before for values from (minvalue) to (%s)', cut);
    end $$;
    alter table audit_log_before drop constraint audit_log_before;
    create table audit_log_default partition of audit_log default;
    ${appendOnly('audit_log_default')}
    ${functions(true)}
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${functions(false)}
    alter table audit_log rename to audit_log_parted;
    ${renamed('audit_log', 'audit_log_parted')}
    create table audit_log (like audit_log_parted);
    insert into audit_log select * from audit_log_parted;
    drop function audit_entry_text(audit_log_parted);
    drop table audit_log_parted;
    alter table audit_log add primary key (id);
    do $$ begin
      execute format('alter table audit_log alter column id add generated always as identity (start with %s)',
        (select coalesce(max(id), 0) + 1 from audit_log));
      execute format('alter table audit_log add constraint audit_log_before check (id < %s)',
        (extract(epoch from (date_trunc('month', (now() + interval '8 days') at time zone 'UTC') + interval '1 month')
          at time zone 'UTC')::bigint - 1577836800) << 22);
    end $$;
    ${PARTS}
  `);
}
