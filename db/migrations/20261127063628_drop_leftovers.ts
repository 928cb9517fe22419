import type { Knex } from 'knex';

/** No transaction, so that only one table is locked at a time. */
export const config = { transaction: false };

/** Drops what only releases before the schema file used. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop trigger if exists tell_type_of_delivery on webhook_deliveries');
  await knex.raw('drop function if exists tell_type_of_delivery()');
  await knex.raw('alter table webhook_attempts drop column if exists response_excerpt');
  for (const environment of ['live', 'sandbox']) {
    await knex.raw(`drop function if exists search_nearest_${environment}(smallint[], text, integer),
      search_candidates_${environment}(text[], text, text[], text[], text[], text[], integer[], integer)`);
  }
  await knex.raw(`update users set staff_role = 'admin' where role = 'ops' and staff_role is null`);
  await knex.raw(`alter table users drop constraint if exists users_staff_role_of_ops,
    add constraint users_staff_role_of_ops check ((role = 'ops') = (staff_role is not null))`);
}

/** Restores only what the previous release writes to; it used nothing else of this. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table users drop constraint users_staff_role_of_ops');
  await knex.raw('alter table webhook_attempts add column response_excerpt text');
}
