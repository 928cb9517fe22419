import type { Knex } from 'knex';

/** Indexes for the fair claim and the pruning of webhook deliveries, and the reason of a failed attempt in words. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Two lanes, first attempts (0) and retries (1), so that neither has to be read past the other's
    -- backlog. An integer, because a boolean expression is rewritten by the planner and never matches.
    drop index webhook_deliveries_due;
    create index webhook_deliveries_due
      on webhook_deliveries ((least(attempts, 1)), endpoint_id, next_attempt_at) where state = 'pending';

    -- Rows leave in the order in which they came: a few pages instead of an entry a row.
    create index webhook_deliveries_by_age on webhook_deliveries using brin (created_at)
      with (pages_per_range = 32, autosummarize = on);

    -- Every delivery passes through the two partial indexes and leaves a dead entry in each.
    alter table webhook_deliveries set (
      autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
    -- A handful of rows with many versions each.
    alter table webhook_endpoints set (fillfactor = 50);

    alter table webhook_attempts add column detail text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_attempts drop column detail;
    alter table webhook_endpoints reset (fillfactor);
    alter table webhook_deliveries reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
    drop index webhook_deliveries_by_age;
    drop index webhook_deliveries_due;
    create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where state = 'pending';
  `);
}
