import type { Knex } from 'knex';

/** Orders that we collect ourselves: from a checkout session or a brokerage deal, maybe referred by a link. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A brokered domain was never listed.
    alter table orders alter column listing_id drop not null;
    -- One order a session, and one a case, whatever is clicked or delivered twice.
    alter table orders add column checkout_session_id text collate "C" unique;
    alter table orders add column brokerage_case_id text collate "C" unique;
    alter table orders add column referral_link_id text collate "C";
    alter table orders add constraint orders_have_a_source check (
      listing_id is not null or brokerage_case_id is not null);
    create index orders_by_referral_link on orders (referral_link_id) where referral_link_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table orders drop constraint orders_have_a_source;
    alter table orders drop column referral_link_id, drop column brokerage_case_id,
      drop column checkout_session_id;
    alter table orders alter column listing_id set not null;
  `);
}
