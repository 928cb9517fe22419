import type { Knex } from 'knex';

/**
 * The outbox becomes partitions of a week, over which no index can say that a key is there once. So keys get a table of
 * their own. Until the outbox is partitioned, its index decides, and what it lets in is copied: new keys at once, those
 * that are there by the next migration. Who may write jobs may write their keys.
 *
 * All rows end before a Monday in eight days or more: new ones are checked at once, the others later.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    set local lock_timeout = '200ms';
    create table job_keys (
      dedupe_key text collate "C" primary key,
      job_id bigint not null,
      created_at timestamptz not null
    );
    create index job_keys_by_age on job_keys (created_at);

    create function copy_job_key() returns trigger language plpgsql as $$ begin
      insert into public.job_keys (dedupe_key, job_id, created_at) values (new.dedupe_key, new.id, new.created_at)
      on conflict (dedupe_key) do update set job_id = excluded.job_id, created_at = excluded.created_at;
      return null;
    end $$;
    create trigger copy_job_key after insert on outbox
      for each row when (new.dedupe_key is not null) execute function copy_job_key();

    do $$
    declare
      grants text;
    begin
      select string_agg(format('grant %s on job_keys to %s;', a.privilege_type, a.grantee::regrole), ' ') into grants
      from pg_class c, aclexplode(c.relacl) a
      where c.oid = 'outbox'::regclass and a.grantee not in (0, c.relowner);
      execute coalesce(grants, '');
      execute format('alter table outbox add constraint outbox_before check (id < %s) not valid',
        (extract(epoch from date_trunc('week', now() + interval '8 days', 'UTC') + interval '7 days')::bigint - 1577836800) << 22);
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table outbox drop constraint if exists outbox_before;
    drop trigger if exists copy_job_key on outbox;
    drop function if exists copy_job_key();
    drop table job_keys;
  `);
}
