import type { Knex } from 'knex';

/**
 * What OAuth sign-in keeps: clients, grants, the codes and tokens under each grant, and where a browser
 * stands in between. Of everything that opens something only the SHA-256 is here.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table oauth_clients (
      id text collate "C" primary key,
      metadata jsonb not null,
      created_at timestamptz not null
    );
    create index oauth_clients_by_age on oauth_clients (created_at);

    -- One consent of one user to one client; all that comes of it dies with it.
    create table oauth_grants (
      id text collate "C" primary key,
      user_id text collate "C" not null references users (id),
      client_id text collate "C" not null references oauth_clients (id),
      payload jsonb not null,
      created_at timestamptz not null,
      revoked_at timestamptz
    );
    create index oauth_grants_by_client on oauth_grants (client_id);
    create index oauth_grants_by_age on oauth_grants (created_at);

    create table oauth_tokens (
      token_hash bytea primary key,
      kind text not null check (kind in ('AuthorizationCode', 'AccessToken', 'RefreshToken')),
      grant_id text collate "C" not null references oauth_grants (id) on delete cascade,
      scopes text[] not null,
      -- The resource of an access token (RFC 8707).
      audience text,
      payload jsonb not null,
      created_at timestamptz not null,
      consumed_at timestamptz,
      expires_at timestamptz not null
    );
    create index oauth_tokens_by_grant on oauth_tokens (grant_id);
    create index oauth_tokens_by_expiry on oauth_tokens (expires_at);

    -- Signed-in browsers, and authorization requests that wait for a person. The payload is encrypted:
    -- it names ids whose digest alone is kept.
    create table oauth_browsers (
      id_hash bytea primary key,
      kind text not null check (kind in ('Session', 'Interaction')),
      uid text collate "C",
      payload_sealed bytea not null,
      expires_at timestamptz not null
    );
    create index oauth_browsers_by_uid on oauth_browsers (uid);
    create index oauth_browsers_by_expiry on oauth_browsers (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table oauth_browsers, oauth_tokens, oauth_grants, oauth_clients');
}
