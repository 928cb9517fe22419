import type { Knex } from 'knex';

/**
 * The audit trail becomes partitions of a month. All entries end before the first day of one of the next two months:
 * new ones are checked at once, those that are there by the next migration.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$ begin
      execute format('alter table audit_log add constraint audit_log_before check (id < %s) not valid',
        (extract(epoch from (date_trunc('month', (now() + interval '8 days') at time zone 'UTC') + interval '1 month')
          at time zone 'UTC')::bigint - 1577836800) << 22);
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table audit_log drop constraint audit_log_before');
}
