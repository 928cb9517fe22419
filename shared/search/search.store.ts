import type { Environment } from '../platform/config.ts';
import { prepared, type Sql, type Tx } from '../platform/db.ts';
import type { ParsedQuery } from './query.ts';
import type { SearchDocument } from './search-document.ts';

/** A listing that may answer a query, with what the reranking needs to judge it. */
export interface Candidate {
  domain: string;
  domainUnicode: string;
  tld: string;
  priceCents: number;
  currency: string;
  offersAccepted: boolean;
  category: string | null;
  label: string;
  labelWords: string;
  keywords: string;
  description: string;
}

export interface CandidateFilter {
  tlds?: string[] | undefined;
  minPriceCents?: number | undefined;
  maxPriceCents?: number | undefined;
}

/** How many rows each way of finding may bring: the reranking never sees more than their sum. */
const LIMITS = {
  label: 50,
  allWords: 150,
  somePair: 150,
  spelling: 100,
  inside: 100,
  anyWord: 200,
};
/** A filter is applied to what was found, so more has to be found for it. */
const FILTERED_FACTOR = 10;
/** A run of letters shorter than this stands in too many labels to be looked for inside them. */
const MIN_INSIDE = 4;

type Binding = string | number | Date | string[];

/** One way of finding: a select of listing ids. */
interface Branch {
  sql: string;
  bindings: Binding[];
}

/** The partition itself: naming it keeps the planner from walking the environment's key instead. */
const PARTITIONS: Record<Environment, string> = {
  SANDBOX: 'search_docs_sandbox',
  LIVE: 'search_docs_live',
};

/**
 * Listings that may answer `query`: listed, held by nobody at `now`, and passing the filter. A bounded
 * number, unordered, in one statement.
 */
export async function selectCandidates(
  sql: Sql,
  environment: Environment,
  query: ParsedQuery,
  filter: CandidateFilter,
  now: Date,
): Promise<Candidate[]> {
  if (query.joined === '') return [];
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const branches = branchesOf(environment, query, filtered ? FILTERED_FACTOR : 1);
  const buyable = buyableAt(filter, now);
  const { rows } = await sql.raw<{ rows: Candidate[] }>(
    `select l.domain, l.domain_unicode as "domainUnicode", l.tld, l.price_cents as "priceCents",
       l.currency, l.offers_accepted as "offersAccepted", l.category, d.label,
       d.label_words as "labelWords", d.keywords, d.description
     from (${branches.map((branch) => `(${branch.sql})`).join(' union ')}) found (id)
     join listings l on l.id = found.id
     join ${PARTITIONS[environment]} d on d.listing_id = found.id and d.environment = ?
     where ${buyable.condition}`,
    [...branches.flatMap(({ bindings }) => bindings), environment, ...buyable.bindings],
  );
  return rows;
}

function buyableAt(filter: CandidateFilter, now: Date): { condition: string; bindings: Binding[] } {
  const conditions = [
    `l.status = 'listed'`,
    `not exists (select from quotes q
       where q.listing_id = l.id and q.state = 'open' and q.expires_at > ?)`,
  ];
  const bindings: Binding[] = [now];
  if (filter.tlds) {
    conditions.push('l.tld = any(?)');
    bindings.push(filter.tlds);
  }
  if (filter.minPriceCents !== undefined) {
    conditions.push('l.price_cents >= ?');
    bindings.push(filter.minPriceCents);
  }
  if (filter.maxPriceCents !== undefined) {
    conditions.push('l.price_cents <= ?');
    bindings.push(filter.maxPriceCents);
  }
  return { condition: conditions.join(' and '), bindings };
}

/** Each way of finding candidates: by label, by words and what is near them in meaning, by spelling. */
function branchesOf(
  environment: Environment,
  { joined, words, related }: ParsedQuery,
  factor: number,
): Branch[] {
  const where = (condition: string, limit: number, ...bindings: Binding[]): Branch => ({
    sql: `select listing_id from ${PARTITIONS[environment]} where ${condition} limit ?`,
    bindings: [...bindings, limit * factor],
  });
  const terms = (text: string, limit: number) =>
    where(`terms @@ to_tsquery('english', ?)`, limit, text);
  const spelledLike = (text: string): Branch => ({
    sql: `select search_docs_spelled_like(?, ?, ?)`,
    bindings: [environment, text, LIMITS.spelling * factor],
  });
  const meant = words.map((word) => `(${[word, ...(related.get(word) ?? [])].join(' | ')})`);
  const long = [...new Set([joined, ...words])].filter((word) => word.length >= MIN_INSIDE);
  return [
    where(
      `label collate "C" >= ? and label collate "C" < ?`,
      LIMITS.label,
      joined,
      `${joined}\u{10ffff}`,
    ),
    terms(meant.join(' & '), LIMITS.allWords),
    ...(words.length > 1 ? [terms(words.join(' | '), LIMITS.anyWord)] : []),
    ...(words.length > 2 ? [terms(pairsOf(meant.slice(0, 5)).join(' | '), LIMITS.somePair)] : []),
    ...long.map(spelledLike),
    ...long.map((word) => where(`spelling like ?`, LIMITS.inside, `%${word}%`)),
  ];
}

function pairsOf(groups: readonly string[]): string[] {
  return groups.flatMap((left, at) => groups.slice(at + 1).map((right) => `(${left} & ${right})`));
}

/** Writes the rows of listed domains, replacing what was known of them. */
export async function upsertDocuments(
  tx: Tx,
  environment: Environment,
  documents: readonly SearchDocument[],
): Promise<void> {
  await tx.raw(
    `insert into search_docs (environment, listing_id, label, label_words, keywords, description)
     select ?, "listingId", label, "labelWords", keywords, description
     from jsonb_to_recordset(?::jsonb)
       as r("listingId" bigint, label text, "labelWords" text, keywords text, description text)
     on conflict (environment, listing_id) do update set label = excluded.label,
       label_words = excluded.label_words, keywords = excluded.keywords,
       description = excluded.description`,
    [environment, JSON.stringify(documents)],
  );
}

export async function deleteDocuments(
  tx: Tx,
  environment: Environment,
  listingIds: number[],
): Promise<void> {
  await prepared(tx, `delete from search_docs where environment = ? and listing_id = any(?)`, [
    environment,
    listingIds,
  ]);
}

/** Tells the planner how much there is, without waiting for the next round of autovacuum. */
export async function refreshStatistics(sql: Sql, environment: Environment): Promise<void> {
  await sql.raw(`analyze listings, ${PARTITIONS[environment]}`);
}
