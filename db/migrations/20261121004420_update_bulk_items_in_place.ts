import type { Knex } from 'knex';

/** Leaves room beside the rows that every bulk operation changes, so that no index has to follow them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table bulk_items set (fillfactor = 40);
    alter table owned_domains set (fillfactor = 70);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table bulk_items reset (fillfactor);
    alter table owned_domains reset (fillfactor);
  `);
}
