import type { Knex } from 'knex';

/**
 * Up to ten webhook endpoints of a partner and environment, each with a name, a choice of event types, and its
 * own way to be sent to; and replays of their events.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_endpoints
      add column name text collate "C" not null default 'default',
      -- Types and patterns like order.*; null means all.
      add column event_types text[],
      add column payload text not null default 'full' check (payload in ('full', 'thin')),
      add column ordering text not null default 'none' check (ordering in ('none', 'per_subject')),
      -- Requests a second at most; null means no limit of its own.
      add column max_per_second integer check (max_per_second > 0),
      -- The partner's own headers, a JSON object of names and values, sealed like the secret.
      add column headers_ciphertext bytea;

    -- A removed endpoint keeps its row for the log, and its name is free again.
    create unique index webhook_endpoints_name on webhook_endpoints (partner_id, environment, name)
      where disabled_reason is distinct from 'removed';
    alter table webhook_endpoints drop constraint webhook_endpoints_partner_id_environment_key;
  `);
  await knex.raw(`
    create table webhook_replays (
      id text collate "C" primary key,
      endpoint_id text collate "C" not null references webhook_endpoints on delete cascade,
      partner_id text collate "C" not null,
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      -- Events of from_at up to, and without, to_at.
      from_at timestamptz not null,
      to_at timestamptz not null,
      event_types text[],
      state text not null default 'queued' check (state in ('queued', 'running', 'completed', 'cancelled')),
      -- Events found, known once it runs; and those scheduled so far.
      total integer,
      scheduled integer not null default 0,
      -- Where in the history it has got to.
      after_position bigint,
      until_position bigint,
      created_at timestamptz not null,
      finished_at timestamptz
    );
    create index webhook_replays_by_endpoint on webhook_replays (endpoint_id, id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table webhook_replays;
    delete from webhook_endpoints where name <> 'default' or disabled_reason = 'removed';
    alter table webhook_endpoints add constraint webhook_endpoints_partner_id_environment_key
      unique (partner_id, environment);
    drop index webhook_endpoints_name;
    alter table webhook_endpoints drop column name, drop column event_types, drop column payload,
      drop column ordering, drop column max_per_second, drop column headers_ciphertext;
  `);
}
