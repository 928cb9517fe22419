import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the newest sessions with a status, however many others there are. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists checkout_sessions_by_status');
  await knex.raw(
    'create index concurrently checkout_sessions_by_status on checkout_sessions (partner_id, environment, status, created_at desc, id desc)',
  );
  await knex.raw('drop index concurrently if exists checkout_sessions_newest');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists checkout_sessions_newest');
  await knex.raw(
    'create index concurrently checkout_sessions_newest on checkout_sessions (partner_id, environment, created_at desc)',
  );
  await knex.raw('drop index concurrently if exists checkout_sessions_by_status');
}
