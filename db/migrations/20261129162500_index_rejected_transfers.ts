import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the rejected requests of other registrars for a domain. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists registrar_commands_rejected');
  await knex.raw(
    `create index concurrently registrar_commands_rejected on registrar_commands (domain, answered_at)
     where step = 'reject' and outcome = 'done'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists registrar_commands_rejected');
}
