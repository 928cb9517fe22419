import type { Knex } from 'knex';

/** A domain on legal hold is off the market; the constraint prevents listing it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table listings add column legal_hold boolean not null default false,
      add constraint listings_legal_hold_check check (not legal_hold or status <> 'listed')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table listings drop column legal_hold');
}
