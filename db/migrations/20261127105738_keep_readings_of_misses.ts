import type { Knex } from 'knex';

/** How we interpreted a query that found nothing, and the nearest names; the nightly report fills it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table search_misses add column reading jsonb');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table search_misses drop column reading');
}
