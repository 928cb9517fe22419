import type { Environment } from '../platform/config.ts';
import type { Sql, Tx } from '../platform/db.ts';
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
const LIMITS = { label: 50, allWords: 150, somePair: 150, spelling: 100, anyWord: 200 } as const;
/** A run of letters shorter than this stands in too many labels to be looked for inside them. */
const MIN_INSIDE = 4;

interface Branch {
  condition: string;
  bindings: (string | string[])[];
  limit: number;
}

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
  const branches = branchesOf(query);
  if (branches.length === 0) return [];

  const where = [`d.environment = ?`, `l.environment = ?`, `l.status = 'listed'`];
  const common: (string | number | Date | string[])[] = [environment, environment];
  if (filter.tlds) {
    where.push('l.tld = any(?)');
    common.push(filter.tlds);
  }
  if (filter.minPriceCents !== undefined) {
    where.push('l.price_cents >= ?');
    common.push(filter.minPriceCents);
  }
  if (filter.maxPriceCents !== undefined) {
    where.push('l.price_cents <= ?');
    common.push(filter.maxPriceCents);
  }
  where.push(`not exists (select from quotes q
    where q.listing_id = l.id and q.state = 'open' and q.expires_at > ?)`);
  common.push(now);

  const found = branches
    .map(
      ({
        condition,
        limit,
      }) => `(select l.id from search_docs d join listings l on l.id = d.listing_id
        where ${where.join(' and ')} and ${condition} limit ${limit})`,
    )
    .join(' union ');
  const { rows } = await sql.raw<{ rows: Candidate[] }>(
    `select l.domain, l.domain_unicode as "domainUnicode", l.tld, l.price_cents as "priceCents",
       l.currency, l.offers_accepted as "offersAccepted", l.category, d.label,
       d.label_words as "labelWords", d.keywords, d.description
     from (${found}) found
     join listings l on l.id = found.id
     join search_docs d on d.listing_id = l.id and d.environment = ?`,
    [...branches.flatMap(({ bindings }) => [...common, ...bindings]), environment],
  );
  return rows;
}

/** Each way of finding candidates: by label, by words of near meaning, by spelling. */
function branchesOf(query: ParsedQuery): Branch[] {
  if (query.joined === '') return [];
  const branches: Branch[] = [
    {
      condition: `d.label collate "C" >= ? and d.label collate "C" < ?`,
      bindings: [query.joined, `${query.joined}\u{10ffff}`],
      limit: LIMITS.label,
    },
    { condition: `? <% d.spelling`, bindings: [query.joined], limit: LIMITS.spelling },
  ];
  const inside = query.words.filter((word) => word.length >= MIN_INSIDE);
  if (inside.length > 0) {
    branches.push({
      condition: `(${inside.map(() => 'd.spelling like ? or ? <% d.spelling').join(' or ')})`,
      bindings: inside.flatMap((word) => [`%${word}%`, word]),
      limit: LIMITS.spelling,
    });
  }
  const groups = query.words.map((word) => [word, ...(query.related.get(word) ?? [])].join(' | '));
  const terms = (text: string, limit: number): Branch => ({
    condition: `d.terms @@ to_tsquery('english', ?)`,
    bindings: [text],
    limit,
  });
  branches.push(terms(groups.map((group) => `(${group})`).join(' & '), LIMITS.allWords));
  if (groups.length > 1) {
    branches.push(terms(query.words.join(' | '), LIMITS.anyWord));
  }
  if (groups.length > 2) {
    branches.push(terms(pairsOf(groups.slice(0, 5)).join(' | '), LIMITS.somePair));
  }
  return branches;
}

function pairsOf(groups: readonly string[]): string[] {
  return groups.flatMap((left, at) =>
    groups.slice(at + 1).map((right) => `((${left}) & (${right}))`),
  );
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
  await tx.raw(`delete from search_docs where environment = ? and listing_id = any(?)`, [
    environment,
    listingIds,
  ]);
}
