import type { Knex } from 'knex';

/**
 * Staff have roles. An account of ops without one is an admin: those that exist lose nothing, nor do those that
 * the previous version opens meanwhile.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users add column staff_role text
      check (staff_role in ('admin', 'operator', 'finance', 'support', 'read_only'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table users drop column staff_role');
}
