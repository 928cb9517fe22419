import type { Knex } from 'knex';

/** Hosted checkout: its sessions, and holds that belong to a buyer at the till instead of a partner's quote. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table checkout_sessions (
      id text collate "C" primary key,
      partner_id text collate "C" not null references partners (id),
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      listing_id bigint not null references listings (id),
      domain text collate "C" not null,
      -- The price in force for the first day; later the one that the buyer confirmed last.
      price_cents bigint not null check (price_cents > 0),
      currency text not null,
      commission_bps integer not null,
      status text not null default 'open'
        check (status in ('open', 'paid', 'failed', 'cancelled', 'expired')),
      return_url text,
      cancel_url text,
      client_reference text,
      buyer_email text,
      buyer_name text,
      buyer_country text,
      referral_code text,
      -- Why the last payment did not go through; told to the buyer until the next one.
      last_decline text,
      order_id text collate "C" unique references orders (id),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      price_locked_until timestamptz not null,
      expires_at timestamptz not null,
      check ((status = 'paid') = (order_id is not null))
    );
    create index checkout_sessions_newest on checkout_sessions (partner_id, environment, created_at desc);
    create index checkout_sessions_open_by_expiry on checkout_sessions (expires_at) where status = 'open';
    create index checkout_sessions_by_referral on checkout_sessions (referral_code, created_at)
      where referral_code is not null;

    -- Set while a buyer pays: nobody else can buy the domain, the partner itself included.
    alter table quotes add column checkout_session_id text collate "C";
    create index quotes_open_by_checkout on quotes (checkout_session_id) where state = 'open';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index quotes_open_by_checkout;
    alter table quotes drop column checkout_session_id;
    drop table checkout_sessions;
  `);
}
