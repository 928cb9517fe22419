import type { Knex } from 'knex';

/** Who had a link sent, so that what one account and one partner have sent can be counted. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table account_links add column actor text collate "C";
    create index account_links_by_actor on account_links (actor, created_at) where actor is not null;
    create index account_links_by_partner on account_links (partner_id, created_at) where partner_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index account_links_by_partner;
    drop index account_links_by_actor;
    alter table account_links drop column actor;
  `);
}
