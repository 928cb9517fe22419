import type { Knex } from 'knex';

/** Transfers that wait for a person: few, among all that were ever made. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index transfers_waiting on transfers (status, updated_at)
      where status in ('action_required', 'failed', 'awaiting_confirmation');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index transfers_waiting');
}
