import type { Knex } from 'knex';

/** What buyers of a partner see of it on its checkout and brokerage pages. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table mail_brands
      add column logo_url text,
      add column support_url text,
      add column terms_url text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table mail_brands drop column logo_url, drop column support_url, drop column terms_url;
  `);
}
