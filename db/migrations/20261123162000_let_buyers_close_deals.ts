import type { Knex } from 'knex';

/** Who named the latest offer of a case, and the checkout sessions by which buyers pay for deals. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table brokerage_cases add column offer_by_buyer boolean not null default false;
    alter table checkout_sessions alter column listing_id drop not null,
      add column brokerage_case_id text collate "C" references brokerage_cases (id),
      add constraint checkout_sessions_sell_something
        check ((listing_id is null) = (brokerage_case_id is not null));
    create index checkout_sessions_by_case on checkout_sessions (brokerage_case_id)
      where brokerage_case_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from checkout_sessions where brokerage_case_id is not null;
    alter table checkout_sessions drop column brokerage_case_id, alter column listing_id set not null;
    alter table brokerage_cases drop column offer_by_buyer;
  `);
}
