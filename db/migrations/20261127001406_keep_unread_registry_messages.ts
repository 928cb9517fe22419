import type { Knex } from 'knex';

/**
 * Messages of the registry that could not be read are kept as they came, for staff, who note that they have seen them;
 * and those that may tell of a transfer away are marked until they were looked into.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table registrar_messages add column fault text, add column raw bytea,
      add column seen_at timestamptz, add column to_check boolean not null default false;
    create index registrar_messages_unseen on registrar_messages (recorded_at, id)
      where fault is not null and seen_at is null;
    create index registrar_messages_to_check on registrar_messages (registry, recorded_at) where to_check;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index registrar_messages_to_check;
    drop index registrar_messages_unseen;
    alter table registrar_messages drop column to_check, drop column seen_at, drop column raw, drop column fault;
  `);
}
