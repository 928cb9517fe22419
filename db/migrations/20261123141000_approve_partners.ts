import type { Knex } from 'knex';

/**
 * Partners that signed up by themselves work in SANDBOX until staff approves them. All others are approved: those that
 * exist, and those that the previous version opens meanwhile.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table partners add column live_approved_at timestamptz default now();
    alter table account_links add column partner_name text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table account_links drop column partner_name;
    alter table partners drop column live_approved_at;
  `);
}
