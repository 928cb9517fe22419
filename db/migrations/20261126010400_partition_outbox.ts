import type { Knex } from 'knex';

const INDEXES: Readonly<Record<string, string>> = {
  outbox_by_lease: `(lease_until) where state = 'dispatched'`,
  outbox_by_time: `(run_at, id) where coalesce(state = 'pending', false)`,
  outbox_done: `(done_at) where state = 'done'`,
  outbox_open: `(state, queue, run_at) where state <> 'done'`,
};

const SETTINGS = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000';

const STATES = `constraint outbox_state_check check (state in ('pending', 'dispatched', 'done', 'dead'))`;

const renamed = (from: string, to: string) =>
  ['pkey', ...Object.keys(INDEXES).map((name) => name.replace('outbox_', ''))]
    .map((name) => `alter index ${from}_${name} rename to ${to}_${name};`)
    .join('\n');

const created = Object.entries(INDEXES)
  .map(([name, definition]) => `create index ${name} on outbox ${definition};`)
  .join('\n');

/** The first Monday in eight days or more, as an id. */
const CUT = `((extract(epoch from date_trunc('week', now() + interval '8 days', 'UTC') + interval '7 days')::bigint
  - 1577836800) << 22)`;

/** `order` makes a text of a bound, by which it is compared. */
const functions = (order: (bound: string) => string) => `
    create or replace function add_range_partition(parent text, key text, name text, lower text, upper text)
    returns boolean language plpgsql strict security definer
    set search_path = public, pg_temp set lock_timeout = '500ms' as $$
    declare
      model text := parent || '_default';
      settings text := (select array_to_string(reloptions, ', ') from pg_class where oid = to_regclass(model));
    begin
      if exists (select 1 from range_partitions(parent) p
          where ${order('p.upper')} collate "C" > ${order('add_range_partition.lower')}
            and ${order('p.lower')} collate "C" < ${order('add_range_partition.upper')}) then
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

    create or replace function drop_range_partition(parent text, key text, before text) returns text
    language plpgsql strict security definer
    set search_path = public, pg_temp set lock_timeout = '500ms' as $$
    declare
      dropped text := (select name from range_partitions(parent)
        where ${order('upper')} collate "C" <= ${order('before')} order by ${order('upper')} collate "C" limit 1);
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

    create or replace function drop_finished_partition(parent text, key text, before text, unfinished text[])
    returns text language plpgsql strict security definer
    set search_path = public, pg_temp set lock_timeout = '500ms' set enable_seqscan = off as $$
    declare
      old text;
      is_kept boolean;
    begin
      for old in select name from range_partitions(parent)
        where ${order('upper')} collate "C" <= ${order('before')} order by ${order('upper')} collate "C"
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
 * Puts all jobs, as they are, into a partitioned table of their name: the constraint says that they fit, so nothing is
 * read. Ids begin with the second in which a row is made, since 2020, so that partitions by id are partitions by time;
 * those of before are small. From now on `job_keys` decides whether a key is known.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    set local lock_timeout = '200ms';
    lock table outbox in access exclusive mode;
    drop trigger copy_job_key on outbox;
    drop function copy_job_key();
    alter table outbox drop constraint outbox_dedupe_key_key;
    do $$
    declare
      used bigint := (select last_value from outbox_id_seq);
    begin
      alter table outbox alter column id drop identity;
      execute format('create sequence outbox_id_seq start with %s', used + 1);
    end $$;
    alter table outbox rename to outbox_before;
    ${renamed('outbox', 'outbox_before')}
    -- By which the release before claims; it goes with this partition.
    alter index outbox_due rename to outbox_before_due;

    create table outbox (like outbox_before including defaults, primary key (id), ${STATES}) partition by range (id);
    alter table outbox alter column id set default
      ((floor(extract(epoch from clock_timestamp()))::bigint - 1577836800) << 22) | (nextval('outbox_id_seq') & 4194303);
    alter sequence outbox_id_seq owned by outbox.id;
    ${created}

    do $$
    declare
      grants text;
    begin
      select string_agg(format('grant %s on outbox to %s; grant usage on outbox_id_seq to %2$s;',
        a.privilege_type, a.grantee::regrole), ' ') into grants
      from pg_class c, aclexplode(c.relacl) a
      where c.oid = 'outbox_before'::regclass and a.grantee not in (0, c.relowner);
      execute coalesce(grants, '');
      execute format('alter table outbox attach partition outbox_before for values from (minvalue) to (%s)', ${CUT});
    end $$;
    alter table outbox_before drop constraint outbox_before;
    create table outbox_default partition of outbox default with (${SETTINGS});

    create function know_job_key() returns trigger language plpgsql as $$ begin
      insert into public.job_keys (dedupe_key, job_id, created_at) values (new.dedupe_key, new.id, new.created_at)
      on conflict do nothing;
      if found then return new; end if;
      -- The insert leaves this job out.
      return null;
    end $$;
    create trigger know_job_key before insert on outbox
      for each row when (new.dedupe_key is not null) execute function know_job_key();

    -- Bounds that are numbers come in their order.
    create function range_order(bound text) returns text language sql immutable strict as $$
      select case when bound ~ '^[0-9]+$' then lpad(bound, 20, '0') else bound end
    $$;
    ${functions((bound) => `range_order(${bound})`)}
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${functions((bound) => bound)}
    drop function range_order(text);

    alter table outbox rename to outbox_parted;
    ${renamed('outbox', 'outbox_parted')}
    create table outbox (like outbox_parted including defaults, ${STATES}) with (${SETTINGS});
    alter table outbox alter column id drop default;
    -- A key that was forgotten, and used again meanwhile, is that of the newer job.
    insert into outbox (id, queue, name, payload, dedupe_key, state, epoch, attempts, run_at, lease_until, done_at,
      last_error, created_at, trace_parent, batch_id)
    select o.id, o.queue, o.name, o.payload, k.dedupe_key, o.state, o.epoch, o.attempts, o.run_at, o.lease_until, o.done_at,
      o.last_error, o.created_at, o.trace_parent, o.batch_id
    from outbox_parted o left join job_keys k on k.dedupe_key = o.dedupe_key and k.job_id = o.id;
    drop table outbox_parted;
    drop function know_job_key();
    alter table outbox add primary key (id), add constraint outbox_dedupe_key_key unique (dedupe_key);
    ${created}
    create index outbox_due on outbox (run_at, id) where state = 'pending';
    do $$ begin
      execute format('alter table outbox alter column id add generated always as identity (start with %s)',
        (select coalesce(max(id), 0) + 1 from outbox));
      execute format('alter table outbox add constraint outbox_before check (id < %s)', ${CUT});
    end $$;
    create function copy_job_key() returns trigger language plpgsql as $$ begin
      insert into public.job_keys (dedupe_key, job_id, created_at) values (new.dedupe_key, new.id, new.created_at)
      on conflict (dedupe_key) do update set job_id = excluded.job_id, created_at = excluded.created_at;
      return null;
    end $$;
    create trigger copy_job_key after insert on outbox
      for each row when (new.dedupe_key is not null) execute function copy_job_key();
  `);
}
