import type { Knex } from 'knex';

export const config = { transaction: false };

/** What the console finds by a part of it, and the audit trail by time. */
const INDEXES = {
  orders_search: 'orders using gin (domain gin_trgm_ops, buyer_email gin_trgm_ops)',
  users_search: 'users using gin (email gin_trgm_ops)',
  audit_log_by_time: 'audit_log (at)',
};

export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  for (const [name, on] of Object.entries(INDEXES)) {
    await knex.raw(`drop index concurrently if exists ${name}`);
    await knex.raw(`create index concurrently ${name} on ${on}`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) {
    await knex.raw(`drop index concurrently if exists ${name}`);
  }
}
