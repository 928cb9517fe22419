import type { Knex } from 'knex';

/**
 * Deliveries become partitions of a week, as their attempts did. What is there ends before a Monday in one to two weeks:
 * new rows are checked at once, those that are there by the next migration.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function pg_temp.id_prefix_at(kind text, at timestamptz) returns text language sql immutable strict as $$
      select kind || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
        1 + ((extract(epoch from at) * 1000)::bigint >> (5 * place) & 31)::int, 1), '' order by place desc)
      from generate_series(0, 9) place
    $$;

    do $$ begin
      execute format('alter table webhook_deliveries add constraint webhook_deliveries_before
        check (id < %L) not valid', pg_temp.id_prefix_at('dlv', date_trunc('week', now(), 'UTC') + interval '14 days'));
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table webhook_deliveries drop constraint if exists webhook_deliveries_before',
  );
}
