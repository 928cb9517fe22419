import type { Knex } from 'knex';

/**
 * The registrant of a domain, sealed, whether they verified their email address, and whether the domain is out of the
 * DNS because they did not. Until a domain is registered for its buyer, only its order has the registrant.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table domain_registrants (
      id text collate "C" primary key,
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      domain text collate "C" not null,
      partner_id text collate "C" references partners,
      order_id text collate "C" references orders,
      sealed bytea not null,
      address_digest bytea not null,
      verification text not null check (verification in ('pending', 'verified')),
      round integer not null default 1,
      verify_by timestamptz not null,
      mails integer not null default 0,
      mailed_at timestamptz,
      hold text not null default 'none' check (hold in ('none', 'asked', 'set')),
      changed_at timestamptz,
      registered_at timestamptz not null,
      updated_at timestamptz not null,
      unique (environment, domain)
    )`);
  await knex.raw('create index domain_registrants_digest on domain_registrants (address_digest)');
  await knex.raw(
    'create index domain_registrants_order on domain_registrants (order_id) where order_id is not null',
  );
  await knex.raw('create index domain_registrants_updated_at on domain_registrants (updated_at)');
  await knex.raw(`create index domain_registrants_pending on domain_registrants (partner_id)
    where environment = 'SANDBOX' and verification = 'pending'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table domain_registrants');
}
