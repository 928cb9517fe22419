import type { Knex } from 'knex';

/** What a query that found nothing was understood as, and the names that came nearest; the nightly report fills it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table search_misses add column reading jsonb');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table search_misses drop column reading');
}
