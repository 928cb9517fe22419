import type { Knex } from 'knex';

/** Replays and imports are deleted some time after their end. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index webhook_replays_ended on webhook_replays (finished_at) where finished_at is not null;
    create index listing_imports_ended on listing_imports (finished_at) where finished_at is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index webhook_replays_ended, listing_imports_ended');
}
