import type { Knex } from 'knex';

/** What a settlement looks for: clawbacks of a partner, and a statement that was left half closed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index refunds_clawbacks on refunds (partner_id, environment, created_at)
      where kind = 'clawback';
    create unique index settlements_one_closing on settlements (partner_id, environment)
      where status = 'closing';
    create index settlement_runs_unfinished on settlement_runs (environment, created_at)
      where status <> 'completed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'drop index refunds_clawbacks, settlements_one_closing, settlement_runs_unfinished',
  );
}
