import type { Knex } from 'knex';

/** The signed requests of partners in the last days. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table api_requests (
      id text collate "C" not null,
      partner_id text collate "C" not null,
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      key_id text collate "C" not null,
      request_id text collate "C" not null,
      method text not null,
      path text not null,
      status smallint not null,
      error_code text,
      elapsed_ms integer not null,
      canonical_string text,
      created_at timestamptz not null,
      primary key (partner_id, environment, id)
    );
    create index api_requests_by_age on api_requests (created_at);
    create index api_requests_refused on api_requests (partner_id, environment, id) where status >= 400;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table api_requests');
}
