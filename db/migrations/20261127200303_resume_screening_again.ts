import type { Knex } from 'knex';

/** Progress of a run that compares all parties with a new version of a list, and how many registrants it compared. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table screening_lists
    add column rescreened_registrants integer, add column rescreen_progress jsonb`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table screening_lists
    drop column rescreened_registrants, drop column rescreen_progress`);
}
