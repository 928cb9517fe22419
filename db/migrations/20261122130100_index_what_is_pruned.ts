import type { Knex } from 'knex';

export const config = { transaction: false };

/** What retention looks for: rows that have ended, by when. Open ones are in none of these. */
const INDEXES = {
  quotes_ended: `quotes (expires_at) where state <> 'open'`,
  checkout_sessions_abandoned: `checkout_sessions (updated_at) where order_id is null and status <> 'open'`,
  payments_failed: `payments (updated_at) where status = 'failed' and order_id is null`,
  sandbox_payments_ended: `sandbox_payments (expires_at) where status <> 'succeeded' or refunded_at is not null`,
  sandbox_registrar_pushes_ended: `sandbox_registrar_pushes (ready_at) where status <> 'pending'`,
  sandbox_registrar_effects_by_age: 'sandbox_registrar_effects (made_at)',
  settlement_runs_finished: `settlement_runs (finished_at) where status = 'completed'`,
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
