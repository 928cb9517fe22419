import type { Knex } from 'knex';

/**
 * The attempts of webhooks and the request log become partitions by the time in their ids, in three migrations, so
 * that no statement waits for more than a moment. Here: what is there ends before a Monday in one to two weeks, and
 * before the midnight after the next one. New rows are checked at once, those that are there by the next migration.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function pg_temp.id_prefix_at(kind text, at timestamptz) returns text language sql immutable strict as $$
      select kind || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
        1 + ((extract(epoch from at) * 1000)::bigint >> (5 * place) & 31)::int, 1), '' order by place desc)
      from generate_series(0, 9) place
    $$;

    do $$
    declare
      week timestamptz := date_trunc('week', now(), 'UTC') + interval '14 days';
      day timestamptz := date_trunc('day', now(), 'UTC') + interval '2 days';
    begin
      execute format('alter table webhook_attempts add constraint webhook_attempts_before
        check (delivery_id < %L) not valid', pg_temp.id_prefix_at('dlv', week));
      execute format('alter table api_requests add constraint api_requests_before
        check (id < %L) not valid', pg_temp.id_prefix_at('rlg', day));
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_attempts drop constraint if exists webhook_attempts_before;
    alter table api_requests drop constraint if exists api_requests_before;
  `);
}
