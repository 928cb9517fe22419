import type { Knex } from 'knex';

/** The event history, the webhook deliveries made from it, and the outbox that carries all other side effects. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- One row a partner and environment; its lock makes positions follow commit order, so that a reader
    -- of the history can never step over an event that commits later.
    create table event_streams (
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      head bigint not null,
      primary key (partner_id, environment)
    );

    -- body holds the exact bytes that are signed and delivered. position is null for webhook.ping, which
    -- is delivered but is no part of the history.
    create table events (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null,
      position bigint,
      type text not null,
      subject text collate "C",
      body text not null,
      created_at timestamptz not null,
      unique (partner_id, environment, position)
    );

    create table webhook_endpoints (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      url text not null,
      secret_ciphertext bytea not null,
      previous_secret_ciphertext bytea,
      previous_secret_until timestamptz,
      active boolean not null default true,
      disabled_reason text,
      breaker jsonb,
      open_until timestamptz,
      failing_since timestamptz,
      last_success_at timestamptz,
      last_failure_at timestamptz,
      last_claimed_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (partner_id, environment)
    );

    create table webhook_deliveries (
      id text collate "C" primary key,
      endpoint_id text collate "C" not null references webhook_endpoints (id) on delete cascade,
      partner_id text collate "C" not null,
      environment text not null,
      event_id text collate "C" not null references events (id),
      state text not null default 'pending'
        check (state in ('pending', 'dispatched', 'delivered', 'exhausted', 'cancelled')),
      attempts integer not null default 0,
      epoch integer not null default 0,
      next_attempt_at timestamptz not null,
      lease_until timestamptz,
      resend_of text collate "C",
      created_at timestamptz not null,
      finished_at timestamptz
    );
    create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where state = 'pending';
    create index webhook_deliveries_in_flight on webhook_deliveries (endpoint_id) where state = 'dispatched';
    create index webhook_deliveries_by_lease on webhook_deliveries (lease_until) where state = 'dispatched';
    create index webhook_deliveries_newest on webhook_deliveries (partner_id, environment, id desc);
    create index webhook_deliveries_by_event on webhook_deliveries (event_id);

    create table webhook_attempts (
      delivery_id text collate "C" not null references webhook_deliveries (id) on delete cascade,
      attempt integer not null,
      started_at timestamptz not null,
      elapsed_ms integer not null,
      status smallint,
      outcome text not null,
      response_excerpt text,
      next_attempt_at timestamptz,
      primary key (delivery_id, attempt)
    );

    -- A durable job record: it lives until the work is done, whatever happens to Redis.
    create table outbox (
      id bigint generated always as identity primary key,
      queue text not null,
      name text not null,
      payload jsonb not null,
      dedupe_key text unique,
      state text not null default 'pending' check (state in ('pending', 'dispatched', 'done', 'dead')),
      epoch integer not null default 0,
      attempts integer not null default 0,
      run_at timestamptz not null,
      lease_until timestamptz,
      done_at timestamptz,
      last_error text,
      created_at timestamptz not null
    );
    create index outbox_due on outbox (run_at, id) where state = 'pending';
    create index outbox_by_lease on outbox (lease_until) where state = 'dispatched';
    create index outbox_done on outbox (done_at) where state = 'done';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop table outbox, webhook_attempts, webhook_deliveries, webhook_endpoints,
    events, event_streams`);
}
