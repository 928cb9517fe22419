import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the mails to an address. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists mails_by_recipient');
  await knex.raw('create index concurrently mails_by_recipient on mails (recipient)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists mails_by_recipient');
}
