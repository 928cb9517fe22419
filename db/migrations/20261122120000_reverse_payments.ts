import type { Knex } from 'knex';

export const config = { transaction: false };

/**
 * Payments that came back: of a payout, and of a statement, which may be paid and come back more than once. The
 * history of commissions then has two lines of one payout. Commissions that a later payout had kept back from
 * what never arrived are to be given back.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table payouts add column if not exists reversal_reference text');
  await knex.raw(`alter table settlements add column if not exists reversal_reference text,
    add column if not exists payment_reversals integer not null default 0`);
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists referral_commissions_once_a_payout');
  await knex.raw(`create unique index concurrently referral_commissions_once_a_payout
    on referral_commissions (payout_id, type) where payout_id is not null`);
  await knex.raw('drop index concurrently if exists referral_commissions_by_payout');
  await knex.raw('drop index concurrently if exists referral_sales_to_give_back');
  await knex.raw(`create index concurrently referral_sales_to_give_back
    on referral_sales (partner_id, environment, currency)
    where payout_id is null and recovery_payout_id is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index if exists referral_sales_to_give_back');
  await knex.raw(`create unique index if not exists referral_commissions_by_payout
    on referral_commissions (payout_id) where payout_id is not null`);
  await knex.raw('drop index if exists referral_commissions_once_a_payout');
  await knex.raw('alter table payouts drop column if exists reversal_reference');
  await knex.raw(`alter table settlements drop column if exists reversal_reference,
    drop column if exists payment_reversals`);
}
