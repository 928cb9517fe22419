import type { Knex } from 'knex';

/** Domains that renew themselves, by when they end. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index owned_domains_to_renew on owned_domains (expires_at, domain) where auto_renew',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index owned_domains_to_renew');
}
