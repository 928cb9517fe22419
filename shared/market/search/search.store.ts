import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  bits,
  boolean,
  bytea,
  integer,
  jsonb,
  nullable,
  type RowOf,
  real,
  smallint,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { MAX_LABEL_LENGTH } from '../names/domain-name.ts';
import type { BestNamesPlan } from './best-names-plan.ts';
import type { CandidateFilter } from './candidate-filter.ts';
import type { CandidatePlan } from './candidate-plan.ts';
import type { QueryPlace } from './embeddings/embeddings.ts';
import type { SearchDocument } from './search-document.ts';

const ENVIRONMENTS = ['SANDBOX', 'LIVE'] as const;
/** The suffix of an environment's table names. Naming the partition keeps the planner from reading the other one. */
const OWN: Record<Environment, string> = { SANDBOX: 'sandbox', LIVE: 'live' };

const FOUND = { listingId: bigint, version: text };
/** A listing that a search found, with its row version; no two versions are equal. */
export type FoundName = RowOf<typeof FOUND>;

const CANDIDATE = {
  ...FOUND,
  domain: text,
  domainUnicode: text,
  tld: text,
  priceCents: bigint,
  floorPriceCents: nullable(bigint),
  currency: text,
  offersAccepted: boolean,
  category: nullable(text),
  label: text,
  labelWords: text,
  tags: text,
  about: text,
  quality: smallint,
  shape: nullable(smallint),
  /** Of the requested model, if the name has a vector of it. */
  vector: nullable(bytea),
};
/** A listing that may match a query, with the data for reranking. */
export type Candidate = RowOf<typeof CANDIDATE>;

/** The data of listed names. */
export const selectNames = variantsOf(ENVIRONMENTS, (environment) =>
  defineStatement({
    params: { ids: arrayOf(bigint), model: nullable(text) },
    row: CANDIDATE,
    text: `select l.id as "listingId", l.xmin::text as version, l.domain,
        l.domain_unicode as "domainUnicode", l.tld, l.price_cents as "priceCents",
        l.floor_price_cents as "floorPriceCents", l.currency, l.offers_accepted as "offersAccepted",
        l.category, d.label, d.label_words as "labelWords", d.tags, d.about, d.quality, d.shape,
        e.vector
      from listings l
      join search_documents_${OWN[environment]} d
        on d.environment = '${environment}' and d.listing_id = l.id
      left join listing_embeddings e on e.listing_id = l.id and e.model = :model
      where l.id = any(:ids::bigint[])`,
    plan: 'once',
  }),
);

/** Conditions checked on the listing, after the index. */
const FILTER = {
  now: timestamptz,
  tlds: nullable(arrayOf(text)),
  excludedTlds: arrayOf(text),
  minPriceCents: bigint,
  maxPriceCents: bigint,
  minLength: integer,
  maxLength: integer,
  patterns: arrayOf(text),
  notPatterns: arrayOf(text),
  written: arrayOf(text),
  notWritten: arrayOf(text),
  words: nullable(integer),
};

/** Filters the names from an index function: listed, not held at `now`, and within the filter. */
const passing = (found: string) => `select d.listing_id as "listingId", l.xmin::text as version
  from ${found} d
  join listings l on l.id = d.listing_id
  cross join lateral (select split_part(l.domain_unicode, '.', 1) as written) n
  where l.status = 'listed'
    and not exists (select from quotes q
      where q.listing_id = l.id and q.state = 'open' and q.expires_at - q.ahead_ms * interval '1 millisecond' > :now)
    and (:tlds::text[] is null or l.tld = any(:tlds::text[]))
    and l.tld <> all(:excludedTlds::text[])
    and l.price_cents between :minPriceCents and :maxPriceCents
    and char_length(n.written) between :minLength and :maxLength
    and d.label like all(:patterns::text[])
    and d.label not like all(:notPatterns::text[])
    and n.written ~ all(:written::text[])
    and n.written !~ all(:notWritten::text[])
    and (:words::integer is null or array_length(string_to_array(d.label_words, ' '), 1) = :words)`;

/** Names whose bits are compared with those of a query; some cells have many, and all are read in the index alone. */
const COMPARED = { ofCell: 200, all: 1_000 } as const;

/** A limited number of listings that may match. `groups1` to `groups3` and `limits` have one element per step. */
export const selectCandidates = variantsOf(ENVIRONMENTS, (environment) =>
  defineStatement({
    params: {
      ...FILTER,
      labels: arrayOf(text),
      prefix: nullable(text),
      spellings: arrayOf(text),
      groups1: arrayOf(text),
      groups2: arrayOf(text),
      groups3: arrayOf(text),
      limits: arrayOf(integer),
      enough: integer,
      cells: arrayOf(integer),
      signature: nullable(bits),
      nearest: integer,
    },
    row: FOUND,
    text: passing(
      `(select distinct on (listing_id) * from (
        select * from search_candidates_${OWN[environment]}(:labels::text[], :prefix::text, :spellings::text[],
          :groups1::text[], :groups2::text[], :groups3::text[], :limits::integer[], :enough::integer,
          :excludedTlds::text[], :minLength::integer, :maxLength::integer, :patterns::text[])
        union all
        select s.listing_id, s.label, s.label_words, s.tags, s.about, s.quality, s.shape
        from (select n.listing_id from (
              select best.* from unnest(:cells::integer[]) as c(cell)
              cross join lateral (
                select e.listing_id, e.signature from listing_embeddings e
                where e.environment = '${environment}' and e.cell = c.cell limit ${COMPARED.ofCell}) best
              limit ${COMPARED.all}) n
            order by bit_count(n.signature # :signature::bit varying) limit :nearest::integer) near
        join search_documents_${OWN[environment]} s
          on s.environment = '${environment}' and s.listing_id = near.listing_id) found)`,
    ),
    plan: 'once',
  }),
);

/** A limited number of good names with the requested traits, for a search without a topic; may have duplicates. */
export const selectBestNames = variantsOf(ENVIRONMENTS, (environment) =>
  defineStatement({
    params: {
      ...FILTER,
      shapes: arrayOf(smallint),
      lengths: arrayOf(smallint),
      scanned: integer,
      taken: integer,
      priced: integer,
      dearest: boolean,
      prefix: nullable(text),
      terms: arrayOf(text),
      inside: arrayOf(text),
    },
    row: FOUND,
    text: passing(
      `search_best_names_${OWN[environment]}(:tlds::text[], :excludedTlds::text[],
      :shapes::smallint[], :lengths::smallint[], :minLength::integer, :maxLength::integer,
      :patterns::text[], :minPriceCents::bigint, :maxPriceCents::bigint, :scanned::integer,
      :taken::integer, :priced::integer, :dearest::boolean, :prefix::text, :terms::text[],
      :inside::text[])`,
    ),
    plan: 'once',
  }),
);

/** The number of names in the index, and the share of them that has each common term. */
export const selectTermStatistics = variantsOf(ENVIRONMENTS, (environment) =>
  defineStatement({
    row: { size: bigint, terms: nullable(arrayOf(text)), shares: nullable(arrayOf(real)) },
    text: `select greatest(c.reltuples, 0)::bigint as size, s.most_common_elems::text::text[] as terms,
        s.most_common_elem_freqs as shares
      from pg_class c
      left join pg_stats s on s.schemaname = current_schema() and s.tablename = c.relname
        and s.attname = 'terms'
      where c.oid = 'search_documents_${OWN[environment]}'::regclass`,
    plan: 'once',
  }),
);

/** Inserts or replaces the rows of listed domains. */
export const upsertDocuments = defineStatement({
  params: { environment: textOf<Environment>(), documents: jsonb<readonly SearchDocument[]>() },
  text: `insert into search_documents (environment, listing_id, version, quality, made_up, label,
      label_words, tags, about, tld, length, shape, terms)
    select :environment, "listingId", version, quality, "madeUp", label, "labelWords", tags, about,
      tld, length, shape, terms
    from jsonb_to_recordset(:documents::jsonb)
      as r("listingId" bigint, version smallint, quality smallint, "madeUp" boolean, label text,
        "labelWords" text, tags text, about text, tld text, length smallint, shape smallint,
        terms text[])
    on conflict (environment, listing_id) do update set version = excluded.version,
      quality = excluded.quality, made_up = excluded.made_up, label = excluded.label,
      label_words = excluded.label_words, tags = excluded.tags, about = excluded.about,
      tld = excluded.tld, length = excluded.length, shape = excluded.shape, terms = excluded.terms`,
});

/** One statement per environment: on the parent table, Postgres plans every call anew. */
export const deleteDocuments = variantsOf(ENVIRONMENTS, (environment) =>
  defineStatement({
    params: { listingIds: arrayOf(bigint) },
    text: `delete from search_documents_${OWN[environment]}
      where environment = '${environment}' and listing_id = any(:listingIds)`,
    plan: 'once',
  }),
);

/** Listed domains that the index lacks or has in another version; without a version, all. */
const outdatedIn = (environment: Environment) => `listings l
    left join search_documents_${OWN[environment]} d on d.listing_id = l.id
    where l.environment = '${environment}' and l.status = 'listed'
      and (:version::integer is null or d.version is distinct from :version::integer)`;

export const countOutdated = variantsOf(ENVIRONMENTS, (environment) =>
  defineStatement({
    params: { version: nullable(integer) },
    row: { outdated: bigint },
    text: `select count(*) as outdated from ${outdatedIn(environment)}`,
  }),
);

/** The next of these domains after `afterId`, locked until the transaction ends. */
export const selectOutdated = variantsOf(ENVIRONMENTS, (environment) =>
  defineStatement({
    params: { version: nullable(integer), afterId: bigint, limit: bigint },
    row: {
      id: bigint,
      domainUnicode: text,
      tld: text,
      category: nullable(text),
      description: nullable(text),
      keywords: arrayOf(text),
    },
    text: `select l.id, l.domain_unicode as "domainUnicode", l.tld, l.category, l.description, l.keywords
      from ${outdatedIn(environment)} and l.id > :afterId
      order by l.id limit :limit for update of l`,
  }),
);

/** Updates planner statistics without waiting for autovacuum. */
export const analyzeSearchTables = variantsOf(ENVIRONMENTS, (environment) =>
  defineStatement({ text: `analyze listings, search_documents_${OWN[environment]}` }),
);

/** Returns the names `plan` finds that pass the filter and nobody holds at `now`, in one statement. */
export function readCandidates(
  sql: Sql,
  environment: Environment,
  plan: CandidatePlan,
  place: QueryPlace | null,
  filter: CandidateFilter,
  now: Date,
): Promise<FoundName[]> {
  const groups = (at: number) => plan.steps.map((step) => (step.groups[at] ?? []).join(' '));
  return selectCandidates[environment].all(sql, {
    labels: plan.labels,
    prefix: plan.prefix,
    spellings: plan.spellings,
    groups1: groups(0),
    groups2: groups(1),
    groups3: groups(2),
    limits: plan.steps.map(({ limit }) => limit),
    enough: plan.enough,
    cells: place?.cells ?? [],
    signature: place?.signature ?? null,
    nearest: place ? plan.nearest : 0,
    ...filterParams(filter, now),
  });
}

/** Returns the names `plan` scans that pass the filter and nobody holds at `now`, in one statement. */
export function readBestNames(
  sql: Sql,
  environment: Environment,
  plan: BestNamesPlan,
  filter: CandidateFilter,
  now: Date,
): Promise<FoundName[]> {
  return selectBestNames[environment].all(sql, { ...plan, ...filterParams(filter, now) });
}

function filterParams(filter: CandidateFilter, now: Date) {
  return {
    now,
    tlds: filter.tlds ?? null,
    excludedTlds: filter.excludedTlds,
    minPriceCents: filter.minPriceCents ?? 0,
    maxPriceCents: filter.maxPriceCents ?? Number.MAX_SAFE_INTEGER,
    minLength: filter.minLength ?? 0,
    maxLength: filter.maxLength ?? MAX_LABEL_LENGTH,
    patterns: filter.patterns,
    notPatterns: filter.notPatterns,
    written: filter.written,
    notWritten: filter.notWritten,
    words: filter.words ?? null,
  };
}

/** Returns the number of names in the index and the share of them that has each common term. */
export async function readTermStatistics(
  sql: Sql,
  environment: Environment,
): Promise<{ size: number; shares: (readonly [term: string, share: number])[] }> {
  const row = await selectTermStatistics[environment].one(sql);
  const shares = row.shares ?? [];
  return {
    size: row.size,
    shares: (row.terms ?? []).map((term, at) => [term, shares[at] ?? 0] as const),
  };
}
