import type { Knex } from 'knex';

/** Quotes (price locks), orders with their timeline, refunds, transfers, and stored idempotent answers. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table quotes (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      listing_id bigint not null references listings (id),
      price_cents bigint not null check (price_cents > 0),
      currency text not null,
      state text not null default 'open'
        check (state in ('open', 'used', 'released', 'superseded', 'expired')),
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    -- The hold itself: at most one open quote a listing.
    create unique index quotes_one_hold_per_listing on quotes (listing_id) where state = 'open';
    create index quotes_open_by_partner on quotes (partner_id, environment) where state = 'open';
    create index quotes_open_by_expiry on quotes (expires_at) where state = 'open';

    create table orders (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      listing_id bigint not null references listings (id),
      domain text collate "C" not null,
      status text not null check (status in ('EXTERNALLY_PAID', 'MANUAL_REVIEW', 'PAID',
        'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED', 'REFUNDED', 'CANCELLED')),
      payment_model text not null
        check (payment_model in ('merchant_of_record', 'hosted_checkout', 'brokerage')),
      sale_price_cents bigint not null check (sale_price_cents > 0),
      commission_bps integer not null,
      commission_cents bigint not null check (commission_cents >= 0),
      amount_owed_cents bigint not null,
      currency text not null,
      buyer_email text not null,
      buyer_name text,
      buyer_country text,
      quote_id text,
      external_payment_ref text,
      return_url text,
      cancel_url text,
      review_reasons text[] not null default '{}',
      created_at timestamptz not null,
      updated_at timestamptz not null,
      transfer_completed_at timestamptz,
      settled_at timestamptz,
      settlement_id text collate "C"
    );
    -- A domain is sold once: the database refuses a second order that is not refunded or cancelled.
    create unique index orders_one_sale_per_listing on orders (listing_id)
      where status not in ('REFUNDED', 'CANCELLED');
    create index orders_newest on orders (partner_id, environment, created_at desc, id desc);
    create index orders_by_domain on orders (partner_id, environment, domain);
    create index orders_delivered on orders (partner_id, environment, transfer_completed_at)
      where transfer_completed_at is not null and settlement_id is null;
    create index orders_open_work on orders (status, created_at)
      where status in ('MANUAL_REVIEW', 'EXTERNALLY_PAID', 'PAID', 'TRANSFER_IN_PROGRESS');

    create table order_timeline (
      id bigint generated always as identity primary key,
      order_id text collate "C" not null references orders (id),
      at timestamptz not null,
      status text not null,
      event text not null,
      note text
    );
    create index order_timeline_by_order on order_timeline (order_id, id);

    create table refunds (
      id text collate "C" primary key,
      order_id text collate "C" not null unique references orders (id),
      partner_id text collate "C" not null references partners (id),
      environment text not null,
      kind text not null check (kind in ('refund', 'cancellation', 'clawback')),
      amount_cents bigint not null check (amount_cents > 0),
      currency text not null,
      reason text not null,
      note text,
      requested_by text not null,
      created_at timestamptz not null
    );

    create table transfers (
      id text collate "C" primary key,
      order_id text collate "C" not null unique references orders (id),
      partner_id text collate "C" not null references partners (id),
      environment text not null,
      status text not null check (status in ('queued', 'pushing', 'pending_registry', 'action_required',
        'awaiting_confirmation', 'completed', 'failed', 'cancelled')),
      method text not null check (method in ('push', 'auth_code')),
      registrar text,
      attempts integer not null default 0,
      reason text,
      created_at timestamptz not null,
      updated_at timestamptz not null
    );

    -- The registrar of the sandbox: a push and the time at which it is done.
    create table sandbox_registrar_pushes (
      client_reference text collate "C" primary key,
      domain text not null,
      status text not null check (status in ('pending', 'completed', 'failed', 'cancelled')),
      reason text,
      accepted_at timestamptz not null,
      ready_at timestamptz not null
    );

    create table idempotency_keys (
      credential text collate "C" not null,
      method text not null,
      path text not null,
      key text not null,
      fingerprint bytea not null,
      status smallint,
      body text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      primary key (credential, method, path, key)
    );
    create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop table idempotency_keys, sandbox_registrar_pushes, transfers, refunds,
    order_timeline, orders, quotes`);
}
