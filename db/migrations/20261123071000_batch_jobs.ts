import type { Knex } from 'knex';

/** The row whose BullMQ job carries this one, on its first dispatch: jobs of a backlog travel together. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table outbox add column batch_id bigint');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table outbox drop column batch_id');
}
