import type { Knex } from 'knex';

export const config = { transaction: false };

/** What partners quote when they ask: references of their own, and the ids of requests. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists orders_by_payment_reference');
  await knex.raw(`create index concurrently orders_by_payment_reference on orders (external_payment_ref)
    where external_payment_ref is not null`);
  await knex.raw('drop index concurrently if exists checkout_sessions_by_client_reference');
  await knex.raw(`create index concurrently checkout_sessions_by_client_reference on checkout_sessions (client_reference)
    where client_reference is not null`);
  await knex.raw('create index if not exists api_requests_by_request on api_requests (request_id)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists orders_by_payment_reference');
  await knex.raw('drop index concurrently if exists checkout_sessions_by_client_reference');
  await knex.raw('drop index if exists api_requests_by_request');
}
