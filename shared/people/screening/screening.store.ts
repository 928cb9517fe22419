import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  jsonb,
  nullable,
  outerJoined,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import type { PartyKind } from './name-form.ts';
import type { PartyRole } from './party.ts';
import type { RescreenProgress } from './rescreened.ts';

/** The status of the decision about a match. */
export type HitStatus = 'open' | 'proposed' | 'released' | 'declined';

const LIST = {
  list: text,
  version: integer,
  format: text,
  file: text,
  entries: integer,
  skipped: integer,
  importedBy: text,
  importedAt: timestamptz,
  rescreenedAt: nullable(timestamptz),
  rescreenedOrders: nullable(integer),
  rescreenedRegistrants: nullable(integer),
  rescreenedPayees: nullable(integer),
  newHits: nullable(integer),
};
const LIST_COLUMNS = `list, version, format, file, entries, skipped, imported_by as "importedBy",
  imported_at as "importedAt", rescreened_at as "rescreenedAt", rescreened_orders as "rescreenedOrders",
  rescreened_registrants as "rescreenedRegistrants", rescreened_payees as "rescreenedPayees", new_hits as "newHits"`;

/** Selects the loaded lists, by name. */
export const selectLists = defineStatement({
  row: LIST,
  text: `select ${LIST_COLUMNS} from screening_lists order by list`,
});

/** Creates the next version of a list, and makes other imports of it wait until the transaction ends. */
export const upsertList = defineStatement({
  params: { list: text, file: text, importedBy: text, now: timestamptz },
  row: { version: integer, entries: integer },
  text: `insert into screening_lists (list, version, format, file, entries, skipped, imported_by, imported_at)
    values (:list, 1, '', :file, 1, 0, :importedBy, :now)
    on conflict (list) do update set version = screening_lists.version + 1, file = excluded.file,
      imported_by = excluded.imported_by, imported_at = excluded.imported_at, rescreened_at = null,
      rescreened_orders = null, rescreened_registrants = null, rescreened_payees = null,
      new_hits = null, rescreen_progress = null
    returning version, case when version = 1 then 0 else entries end as entries`,
});

/** Records the contents of a version of a list after it is completely read. */
export const updateListRead = defineStatement({
  params: { list: text, format: text, entries: integer, skipped: integer },
  text: `update screening_lists set format = :format, entries = :entries, skipped = :skipped where list = :list`,
});

/** Deletes up to `limit` entries of the previous version, with their names. */
export const deleteEntries = defineStatement({
  params: { list: text, limit: bigint },
  text: `delete from screening_entries where list = :list
    and id in (select id from screening_entries where list = :list order by id limit :limit)`,
});

/** Inserts entries that do not exist yet, and returns their ids. */
export const insertEntries = defineStatement({
  params: {
    list: text,
    entries:
      jsonb<
        readonly {
          id: string;
          kind: PartyKind;
          name: string;
          birth_dates: readonly string[];
          countries: readonly string[];
          programme: string | null;
          digest: string;
        }[]
      >(),
  },
  row: { id: text },
  text: `insert into screening_entries (list, id, kind, name, birth_dates, countries, programme, digest)
    select :list, e.id, e.kind, e.name, e.birth_dates, e.countries, e.programme, e.digest
    from jsonb_to_recordset(:entries::jsonb) as e (id text, kind text, name text, birth_dates text[],
      countries text[], programme text, digest text)
    on conflict do nothing returning id`,
});

/** Inserts the names of entries with their search keys. */
export const insertNames = defineStatement({
  params: {
    list: text,
    names: jsonb<readonly { entry_id: string; name: string; keys: readonly string[] }[]>(),
  },
  text: `insert into screening_names (list, entry_id, name, keys)
    select :list, n.entry_id, n.name, array_to_tsvector(n.keys)
    from jsonb_to_recordset(:names::jsonb) as n (entry_id text, name text, keys text[])`,
});

/** Records the result of rescreening for a version of a list. Does nothing once another version is loaded. */
export const updateRescreened = defineStatement({
  params: {
    list: text,
    version: integer,
    orders: integer,
    registrants: integer,
    payees: integer,
    hits: integer,
    now: timestamptz,
  },
  text: `update screening_lists set rescreened_at = :now, rescreened_orders = :orders,
      rescreened_registrants = :registrants, rescreened_payees = :payees, new_hits = :hits,
      rescreen_progress = null
    where list = :list and version = :version`,
});

/** Records the progress of rescreening for a version of a list. */
export const updateProgress = defineStatement({
  params: { list: text, version: integer, progress: jsonb<RescreenProgress>() },
  text: `update screening_lists set rescreen_progress = :progress where list = :list and version = :version`,
});

/** Selects the last recorded progress of rescreening; null before the first batch. */
export const selectProgress = defineStatement({
  params: { list: text, version: integer },
  row: { progress: nullable(jsonb<RescreenProgress>()) },
  text: `select rescreen_progress as progress from screening_lists
    where list = :list and version = :version`,
});

/**
 * Selects the names on the lists that may match parties, by the `tsquery`s of the parties' names. Leaves out entries
 * that were released for the party, as long as they have not changed.
 */
export const selectCandidates = defineStatement({
  params: { queries: arrayOf(text), partyKeys: arrayOf(text) },
  row: {
    partyKey: text,
    list: text,
    entryId: text,
    kind: textOf<PartyKind>(),
    name: text,
    entryName: text,
    birthDates: arrayOf(text),
    countries: arrayOf(text),
    programme: nullable(text),
    digest: text,
  },
  text: `with alike as (
      select distinct p.party_key, n.list, n.entry_id, n.name
      from unnest(:queries::text[], :partyKeys::text[]) as p (query, party_key)
      join screening_names n on n.keys @@ p.query::tsquery)
    select n.party_key as "partyKey", e.list, e.id as "entryId", e.kind, n.name, e.name as "entryName",
      e.birth_dates as "birthDates", e.countries, e.programme, e.digest
    from alike n
    -- The limit keeps Postgres, which takes names for many, from reading all entries.
    cross join lateral (
      select * from screening_entries where list = n.list and id = n.entry_id limit 1) e
    where not exists (
      select 1 from screening_hits h where h.party_key = n.party_key and h.status = 'released'
        and h.list = e.list and h.entry_id = e.id and h.entry_digest = e.digest)`,
});

const HIT = {
  id: text,
  partnerId: nullable(text),
  orderId: nullable(text),
  checkoutSessionId: nullable(text),
  registrantChangeId: nullable(text),
  domainRegistrantId: nullable(text),
  role: textOf<PartyRole>(),
  partyKey: text,
  partyName: text,
  partyCountry: nullable(text),
  list: text,
  entryId: text,
  entryDigest: text,
  entryKind: textOf<PartyKind>(),
  entryName: text,
  matchedName: text,
  programme: nullable(text),
  score: integer,
  why: arrayOf(text),
  createdAt: timestamptz,
};

/** The SQL for the id of what a match holds. */
const SUBJECT =
  'coalesce(order_id, checkout_session_id, registrant_change_id, domain_registrant_id, partner_id)';

/** Inserts a match, unless the same one exists already or waits for a decision for the same subject. */
export const insertHit = defineStatement({
  params: HIT,
  text: `insert into screening_hits (id, partner_id, order_id, checkout_session_id, registrant_change_id,
      domain_registrant_id, role, party_key, party_name, party_country, list, entry_id, entry_digest, entry_kind, entry_name, matched_name, programme, score, why,
      status, created_at)
    select :id, :partnerId, :orderId, :checkoutSessionId, :registrantChangeId,
      :domainRegistrantId, :role, :partyKey, :partyName, :partyCountry, :list, :entryId, :entryDigest, :entryKind, :entryName, :matchedName, :programme, :score, :why, 'open', :createdAt
    where not exists (
      select 1 from screening_hits where ${SUBJECT} = coalesce(:orderId, :checkoutSessionId,
          :registrantChangeId, :domainRegistrantId, :partnerId)
        and party_key = :partyKey and list = :list and entry_id = :entryId and status in ('open', 'proposed'))
    on conflict do nothing`,
});

const DECIDED_HIT = {
  ...HIT,
  status: textOf<HitStatus>(),
  proposedBy: nullable(text),
  proposedAt: nullable(timestamptz),
  reason: nullable(text),
  decidedBy: nullable(text),
  decidedAt: nullable(timestamptz),
};
const HIT_COLUMNS = `h.id, h.partner_id as "partnerId", h.order_id as "orderId",
  h.checkout_session_id as "checkoutSessionId", h.registrant_change_id as "registrantChangeId",
  h.domain_registrant_id as "domainRegistrantId", h.role, h.party_key as "partyKey", h.party_name as "partyName",
  h.party_country as "partyCountry", h.list, h.entry_id as "entryId", h.entry_digest as "entryDigest",
  h.entry_kind as "entryKind", h.entry_name as "entryName", h.matched_name as "matchedName", h.programme, h.score,
  h.why, h.created_at as "createdAt", h.status, h.proposed_by as "proposedBy", h.proposed_at as "proposedAt",
  h.reason, h.decided_by as "decidedBy", h.decided_at as "decidedAt"`;

/** A match with its partner's name, its domain, and who proposed and decided: an email address or another actor. */
const NAMED_HIT = {
  ...DECIDED_HIT,
  ...outerJoined({ partnerName: text, domain: text, proposer: text, decider: text }),
};
const NAMED_HITS = `select ${HIT_COLUMNS}, p.name as "partnerName", r.domain,
    coalesce(u.email, h.proposed_by) as proposer, coalesce(v.email, h.decided_by) as decider
  from screening_hits h left join partners p on p.id = h.partner_id
    left join domain_registrants r on r.id = h.domain_registrant_id
    left join users u on u.id = h.proposed_by left join users v on v.id = h.decided_by`;

/** Selects a match. */
export const selectHit = defineStatement({
  params: { id: text },
  row: NAMED_HIT,
  text: `${NAMED_HITS} where h.id = :id`,
});

/** Locks a match until the transaction ends. */
export const selectHitForUpdate = defineStatement({
  params: { id: text },
  row: DECIDED_HIT,
  text: `select ${HIT_COLUMNS} from screening_hits h where h.id = :id for update`,
});

/** Selects a page of the matches with one of these statuses. */
export const selectHits = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: { statuses: arrayOf(textOf<HitStatus>()), ...ID_PAGE },
    row: NAMED_HIT,
    text: `${NAMED_HITS} where h.status = any(:statuses) and ${idPageSql('h.id', sort)}`,
  }),
);

/** Records who proposes to release a match, and why. */
export const updateProposed = defineStatement({
  params: { id: text, proposedBy: text, reason: text, now: timestamptz },
  text: `update screening_hits set status = 'proposed', proposed_by = :proposedBy, proposed_at = :now,
      reason = :reason, decided_by = null, decided_at = null
    where id = :id and status in ('open', 'proposed', 'declined')`,
});

/** Records a decision. Without a reason, the proposal's reason stays. */
export const updateDecided = defineStatement({
  params: {
    id: text,
    status: textOf<'released' | 'declined'>(),
    decidedBy: text,
    reason: nullable(text),
    now: timestamptz,
  },
  text: `update screening_hits set status = :status, decided_by = :decidedBy, decided_at = :now,
      reason = coalesce(:reason, reason)
    where id = :id and status in ('open', 'proposed')`,
});

/** Selects whether any match of an order, session, change, registrant or payee (a partner id) is not released. */
export const selectIsHeld = defineStatement({
  params: { subject: text },
  row: { held: boolean },
  text: `select exists (
      select 1 from screening_hits where ${SUBJECT} = :subject and status <> 'released') as held`,
});
