import type { Knex } from 'knex';

export const config = { transaction: false };

/** What the delivery log is filtered by: an endpoint, and the few deliveries that are not delivered. */
const INDEXES = {
  webhook_deliveries_by_endpoint: 'webhook_deliveries (endpoint_id, id desc)',
  webhook_deliveries_undelivered: `webhook_deliveries (partner_id, environment, id desc) where state <> 'delivered'`,
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
