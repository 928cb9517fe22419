import type { Environment } from '../../platform/config/config.ts';
import { prepared, type Sql, type Tx } from '../../platform/database/postgres.ts';
import type { CandidatePlan } from './candidate-plan.ts';
import type { SearchableListing, SearchDocument } from './search-document.ts';

/** A listing that may answer a query, with what the reranking needs to judge it. */
export interface Candidate {
  listingId: number;
  domain: string;
  domainUnicode: string;
  tld: string;
  priceCents: number;
  currency: string;
  offersAccepted: boolean;
  category: string | null;
  label: string;
  labelWords: string;
  tags: string;
  about: string;
  quality: number;
}

export interface CandidateFilter {
  tlds?: string[] | undefined;
  minPriceCents?: number | undefined;
  maxPriceCents?: number | undefined;
}

/** The partition itself: naming it keeps the planner from looking at the other. */
const PARTITIONS: Record<Environment, string> = {
  SANDBOX: 'search_documents_sandbox',
  LIVE: 'search_documents_live',
};
const CANDIDATES: Record<Environment, string> = {
  SANDBOX: 'search_candidates_sandbox',
  LIVE: 'search_candidates_live',
};

/**
 * Listings that may answer a query: listed, held by nobody at `now`, and passing the filter. A bounded number,
 * unordered and perhaps some of them twice, in one statement.
 */
export async function selectCandidates(
  sql: Sql,
  environment: Environment,
  plan: CandidatePlan,
  filter: CandidateFilter,
  now: Date,
): Promise<Candidate[]> {
  const groups = (at: number) => plan.steps.map((step) => (step.groups[at] ?? []).join(' '));
  const { rows }: { rows: Candidate[] } = await prepared(
    sql,
    `select d.listing_id as "listingId", d.label, d.label_words as "labelWords", d.tags, d.about,
       d.quality, l.domain, l.domain_unicode as "domainUnicode", l.tld,
       l.price_cents as "priceCents", l.currency, l.offers_accepted as "offersAccepted", l.category
     from ${CANDIDATES[environment]}(?::text[], ?::text, ?::text[], ?::text[], ?::text[], ?::text[],
       ?::integer[], ?::integer) d
     join listings l on l.id = d.listing_id
     where l.status = 'listed'
       and not exists (select from quotes q
         where q.listing_id = l.id and q.state = 'open' and q.expires_at > ?)
       and (?::text[] is null or l.tld = any(?::text[]))
       and l.price_cents between ? and ?`,
    [
      plan.labels,
      plan.prefix,
      plan.spellings,
      groups(0),
      groups(1),
      groups(2),
      plan.steps.map(({ limit }) => limit),
      plan.enough,
      now,
      filter.tlds ?? null,
      filter.tlds ?? null,
      filter.minPriceCents ?? 0,
      filter.maxPriceCents ?? Number.MAX_SAFE_INTEGER,
    ],
  );
  return rows;
}

/** How many names the index has, and what share of them has each of the commoner terms. */
export async function selectTermStatistics(
  sql: Sql,
  environment: Environment,
): Promise<{ size: number; shares: (readonly [term: string, share: number])[] }> {
  const { rows }: { rows: { size: number; terms: string[] | null; shares: number[] | null }[] } =
    await prepared(
      sql,
      `select greatest(c.reltuples, 0)::bigint as size, s.most_common_elems::text::text[] as terms,
         s.most_common_elem_freqs as shares
       from pg_class c
       left join pg_stats s on s.schemaname = current_schema() and s.tablename = c.relname
         and s.attname = 'terms'
       where c.oid = ?::regclass`,
      [PARTITIONS[environment]],
    );
  const [row] = rows;
  const terms = row?.terms ?? [];
  return { size: row?.size ?? 0, shares: terms.map((term, at) => [term, row?.shares?.[at] ?? 0]) };
}

/** Writes the rows of listed domains, replacing what was known of them. */
export async function upsertDocuments(
  tx: Tx,
  environment: Environment,
  documents: readonly SearchDocument[],
): Promise<void> {
  await tx.raw(
    `insert into search_documents (environment, listing_id, version, quality, made_up, label,
       label_words, tags, about, terms)
     select ?, "listingId", version, quality, "madeUp", label, "labelWords", tags, about, terms
     from jsonb_to_recordset(?::jsonb)
       as r("listingId" bigint, version smallint, quality smallint, "madeUp" boolean, label text,
         "labelWords" text, tags text, about text, terms text[])
     on conflict (environment, listing_id) do update set version = excluded.version,
       quality = excluded.quality, made_up = excluded.made_up, label = excluded.label,
       label_words = excluded.label_words, tags = excluded.tags, about = excluded.about,
       terms = excluded.terms`,
    [environment, JSON.stringify(documents)],
  );
}

export async function deleteDocuments(
  tx: Tx,
  environment: Environment,
  listingIds: number[],
): Promise<void> {
  await prepared(tx, `delete from search_documents where environment = ? and listing_id = any(?)`, [
    environment,
    listingIds,
  ]);
}

/** Of the listed domains those that the index lacks or has in another version; without a version, all. */
const OUTDATED = (environment: Environment) => `listings l
     left join ${PARTITIONS[environment]} d on d.listing_id = l.id
     where l.environment = :environment and l.status = 'listed'
       and (:version::integer is null or d.version is distinct from :version::integer)`;

export async function countOutdated(
  sql: Sql,
  environment: Environment,
  version: number | null,
): Promise<number> {
  const { rows } = await sql.raw<{ rows: { outdated: number }[] }>(
    `select count(*) as outdated from ${OUTDATED(environment)}`,
    { environment, version },
  );
  return rows[0]?.outdated ?? 0;
}

/** The next of them after `afterId`, locked until the transaction ends. */
export async function selectOutdated(
  tx: Tx,
  environment: Environment,
  version: number | null,
  page: { afterId: number; limit: number },
): Promise<SearchableListing[]> {
  const { rows } = await tx.raw<{ rows: SearchableListing[] }>(
    `select l.id, l.domain_unicode as "domainUnicode", l.tld, l.category, l.description, l.keywords
     from ${OUTDATED(environment)} and l.id > :afterId
     order by l.id limit :limit for update of l`,
    { environment, version, ...page },
  );
  return rows;
}

/** Tells the planner how much there is, without waiting for the next round of autovacuum. */
export async function analyzeSearchTables(sql: Sql, environment: Environment): Promise<void> {
  await sql.raw(`analyze listings, ${PARTITIONS[environment]}`);
}
