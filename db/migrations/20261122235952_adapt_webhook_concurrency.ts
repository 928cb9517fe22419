import type { Knex } from 'knex';

/** How much an endpoint gets at a time, which follows how it answers, and a second. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_endpoints
      -- Deliveries under way to it at most; the fraction is progress towards the next one.
      add column concurrency double precision not null default 4 check (concurrency between 1 and 64),
      -- Up to when what it may get by max_per_second is used up.
      add column rate_used_until timestamptz
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_endpoints drop column concurrency, drop column rate_used_until
  `);
}
