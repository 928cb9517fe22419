import type { Knex } from 'knex';

/** The W3C traceparent of what caused a job or a delivery, where that was traced. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table outbox add column trace_parent text;
    alter table webhook_deliveries add column trace_parent text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_deliveries drop column trace_parent;
    alter table outbox drop column trace_parent;
  `);
}
