import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the deliveries whose domain another registrar can transfer now. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists deliveries_code_out');
  await knex.raw(
    `create index concurrently deliveries_code_out on deliveries (order_id)
       where status in ('code_issued', 'pending_transfer')`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists deliveries_code_out');
}
