import type { Knex } from 'knex';

/** Lists of sanctioned people and companies, their names in searchable form, and the parties that match them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create table screening_lists (
    list text collate "C" primary key check (list ~ '^[a-z0-9][a-z0-9-]{0,31}$'),
    version integer not null,
    format text not null,
    file text not null,
    entries integer not null check (entries > 0),
    skipped integer not null,
    imported_by text collate "C" not null,
    imported_at timestamptz not null,
    rescreened_at timestamptz,
    rescreened_orders integer,
    rescreened_payees integer,
    new_hits integer
  )`);
  await knex.raw(`create table screening_entries (
    list text collate "C" not null references screening_lists on delete cascade,
    id text collate "C" not null,
    kind text not null check (kind in ('person', 'entity')),
    name text not null,
    birth_dates text[] not null,
    countries text[] not null,
    programme text,
    digest text collate "C" not null,
    primary key (list, id)
  )`);
  await knex.raw(`create table screening_names (
    list text collate "C" not null,
    entry_id text collate "C" not null,
    name text not null,
    keys tsvector not null,
    foreign key (list, entry_id) references screening_entries on delete cascade
  )`);
  await knex.raw('create index screening_names_entry on screening_names (list, entry_id)');
  await knex.raw('create index screening_names_keys on screening_names using gin (keys)');
  await knex.raw(`create table screening_hits (
    id text collate "C" primary key,
    partner_id text collate "C" not null references partners on delete cascade,
    order_id text collate "C" references orders on delete cascade,
    checkout_session_id text collate "C" references checkout_sessions on delete cascade,
    role text not null check (role in ('buyer', 'organization', 'registrant', 'payee')),
    party_key text collate "C" not null,
    party_name text not null,
    party_country text,
    list text collate "C" not null,
    entry_id text collate "C" not null,
    entry_digest text collate "C" not null,
    entry_kind text not null,
    entry_name text not null,
    matched_name text not null,
    programme text,
    score integer not null check (score between 0 and 100),
    why text[] not null,
    status text not null check (status in ('open', 'proposed', 'released', 'declined')),
    proposed_by text collate "C",
    proposed_at timestamptz,
    reason text,
    decided_by text collate "C",
    decided_at timestamptz,
    created_at timestamptz not null,
    check (order_id is null or checkout_session_id is null),
    check ((status = 'open') = (reason is null)),
    check (status <> 'released' or proposed_by <> decided_by)
  )`);
  await knex.raw(`create unique index screening_hits_once on screening_hits
    (coalesce(order_id, checkout_session_id, partner_id), party_key, list, entry_id, entry_digest)`);
  await knex.raw(
    `create index screening_hits_released on screening_hits (party_key) where status = 'released'`,
  );
  await knex.raw(
    `create index screening_hits_undecided on screening_hits (id) where status in ('open', 'proposed')`,
  );
  await knex.raw(
    `create index screening_hits_order on screening_hits (order_id) where order_id is not null`,
  );
  await knex.raw(`create index screening_hits_session on screening_hits (checkout_session_id)
    where checkout_session_id is not null`);
  await knex.raw(`create index screening_hits_payee on screening_hits (partner_id)
    where order_id is null and checkout_session_id is null and status <> 'released'`);
  await knex.raw('create index screening_hits_created on screening_hits (created_at)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table screening_hits, screening_names, screening_entries, screening_lists');
}
