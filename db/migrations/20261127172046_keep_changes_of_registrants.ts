import type { Knex } from 'knex';

/**
 * Registrant changes that owners requested, with the new registrant, sealed and kept until the change ends. If that
 * person matches a sanctions list, the change is held.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table registrant_changes (
      id text collate "C" primary key,
      domain text collate "C" not null,
      user_id text collate "C" not null references users,
      sealed bytea,
      material boolean not null,
      status text not null check (status in ('held', 'pending', 'done', 'refused', 'declined')),
      reason text,
      created_at timestamptz not null,
      ended_at timestamptz,
      check ((sealed is null) = (ended_at is not null))
    )`);
  await knex.raw(`create unique index registrant_changes_open on registrant_changes (domain)
    where ended_at is null`);
  await knex.raw('create index registrant_changes_domain on registrant_changes (domain, id)');
  await knex.raw('create index registrant_changes_ended_at on registrant_changes (ended_at)');
  await knex.raw(`
    alter table screening_hits alter column partner_id drop not null,
      add column registrant_change_id text collate "C" references registrant_changes on delete cascade,
      add constraint screening_hits_subject_check
        check (num_nonnulls(order_id, checkout_session_id, registrant_change_id) <= 1
          and (partner_id is not null or registrant_change_id is not null))`);
  await knex.raw('drop index screening_hits_once');
  await knex.raw(`create unique index screening_hits_once on screening_hits
    (coalesce(order_id, checkout_session_id, registrant_change_id, partner_id), party_key, list, entry_id,
      entry_digest)`);
  await knex.raw('drop index screening_hits_payee');
  await knex.raw(`create index screening_hits_payee on screening_hits (partner_id)
    where order_id is null and checkout_session_id is null and registrant_change_id is null
      and status <> 'released'`);
  await knex.raw(`create index screening_hits_change on screening_hits (registrant_change_id)
    where registrant_change_id is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('delete from screening_hits where partner_id is null');
  await knex.raw('drop index screening_hits_once');
  await knex.raw('drop index screening_hits_payee');
  await knex.raw(`
    alter table screening_hits drop constraint screening_hits_subject_check,
      drop column registrant_change_id, alter column partner_id set not null`);
  await knex.raw(`create unique index screening_hits_once on screening_hits
    (coalesce(order_id, checkout_session_id, partner_id), party_key, list, entry_id, entry_digest)`);
  await knex.raw(`create index screening_hits_payee on screening_hits (partner_id)
    where order_id is null and checkout_session_id is null and status <> 'released'`);
  await knex.raw('drop table registrant_changes');
}
