import type { Knex } from 'knex';

/** Matches of a domain's registrant with a sanctions list, deleted together with the registrant. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table screening_hits
      add column domain_registrant_id text collate "C" references domain_registrants on delete cascade,
      drop constraint screening_hits_subject_check,
      add constraint screening_hits_subject_check
        check (num_nonnulls(order_id, checkout_session_id, registrant_change_id, domain_registrant_id) <= 1
          and num_nonnulls(partner_id, registrant_change_id, domain_registrant_id) >= 1)`);
  await knex.raw('drop index screening_hits_once');
  await knex.raw(`create unique index screening_hits_once on screening_hits
    (coalesce(order_id, checkout_session_id, registrant_change_id, domain_registrant_id, partner_id), party_key,
      list, entry_id, entry_digest)`);
  await knex.raw(`create index screening_hits_registrant on screening_hits (domain_registrant_id)
    where domain_registrant_id is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('delete from screening_hits where domain_registrant_id is not null');
  await knex.raw('drop index screening_hits_once');
  await knex.raw(`
    alter table screening_hits drop constraint screening_hits_subject_check,
      drop column domain_registrant_id,
      add constraint screening_hits_subject_check
        check (num_nonnulls(order_id, checkout_session_id, registrant_change_id) <= 1
          and (partner_id is not null or registrant_change_id is not null))`);
  await knex.raw(`create unique index screening_hits_once on screening_hits
    (coalesce(order_id, checkout_session_id, registrant_change_id, partner_id), party_key, list, entry_id,
      entry_digest)`);
}
