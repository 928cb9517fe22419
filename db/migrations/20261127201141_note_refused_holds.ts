import type { Knex } from 'knex';

/** Since when, and why, a registry refuses to hold or release a domain over its registrant's unverified address. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table domain_registrants
    add column hold_refused_at timestamptz, add column hold_refusal text`);
  await knex.raw(`create index domain_registrants_hold_refused on domain_registrants (id)
    where hold_refused_at is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table domain_registrants
    drop column hold_refused_at, drop column hold_refusal`);
}
