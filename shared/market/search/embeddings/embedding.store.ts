import { prepared, type Sql } from '../../../platform/database/postgres.ts';
import { floatsOf, type Vector } from './embeddings-client.ts';
import type { ListingText } from './listing-text.ts';

/** A listing that changed since its vector was made, or that has none of this model. */
export interface StaleListing extends ListingText {
  id: number;
  /** As Postgres writes it: it has to come back to the microsecond. */
  updatedAt: string;
  /** Of the text that the vector was made from; null without a vector of this model. */
  textHash: Buffer | null;
}

/** The next stale listed domains after `afterId`, by id. */
export async function selectStale(
  sql: Sql,
  model: string,
  afterId: number,
  limit: number,
): Promise<StaleListing[]> {
  const { rows } = await sql.raw<{ rows: StaleListing[] }>(
    `select l.id, l.domain_unicode as "domainUnicode", l.category, l.description, l.keywords,
       l.updated_at::text as "updatedAt",
       case when e.model = :model then e.text_hash end as "textHash"
     from listings l
     left join listing_embeddings e on e.listing_id = l.id
     where l.id > :afterId and l.status = 'listed'
       and (e.listing_id is null or e.model <> :model or e.listing_updated_at <> l.updated_at)
     order by l.id limit :limit`,
    { model, afterId, limit },
  );
  return rows;
}

export interface NewEmbedding {
  listingId: number;
  updatedAt: string;
  textHash: Buffer;
  vector: Vector;
}

export async function upsertEmbeddings(
  sql: Sql,
  model: string,
  embeddings: readonly NewEmbedding[],
): Promise<void> {
  await sql.raw(
    `insert into listing_embeddings (listing_id, model, text_hash, vector, listing_updated_at)
     select r.id, ?, decode(r.hash, 'base64'), decode(r.vector, 'base64'), r.updated_at
     from jsonb_to_recordset(?::jsonb)
       as r(id bigint, hash text, vector text, updated_at timestamptz)
     -- A listing may be gone by now.
     join listings l on l.id = r.id
     on conflict (listing_id) do update set model = excluded.model, text_hash = excluded.text_hash,
       vector = excluded.vector, listing_updated_at = excluded.listing_updated_at`,
    [
      model,
      JSON.stringify(
        embeddings.map(({ listingId, updatedAt, textHash, vector }) => ({
          id: listingId,
          hash: textHash.toString('base64'),
          vector: bytesOf(vector).toString('base64'),
          updated_at: updatedAt,
        })),
      ),
    ],
  );
}

/** Notes that these listings changed in nothing that their vectors were made from. */
export async function touchEmbeddings(
  sql: Sql,
  listings: readonly Pick<StaleListing, 'id' | 'updatedAt'>[],
): Promise<void> {
  await sql.raw(
    `update listing_embeddings e set listing_updated_at = r."updatedAt"
     from jsonb_to_recordset(?::jsonb) as r(id bigint, "updatedAt" timestamptz)
     where e.listing_id = r.id`,
    [JSON.stringify(listings.map(({ id, updatedAt }) => ({ id, updatedAt })))],
  );
}

/** Drops vectors of domains that are no longer listed; returns how many. */
export async function deleteUnlisted(sql: Sql, limit: number): Promise<number> {
  const { rowCount } = await sql.raw<{ rowCount: number }>(
    `delete from listing_embeddings where listing_id in (
       select e.listing_id from listing_embeddings e
       join listings l on l.id = e.listing_id and l.status <> 'listed' limit ?)`,
    [limit],
  );
  return rowCount;
}

/** The vectors of these listings, as far as there are any of this model. */
export async function selectVectors(
  sql: Sql,
  model: string,
  listingIds: readonly number[],
): Promise<Map<number, Vector>> {
  const { rows }: { rows: { id: number; vector: Buffer }[] } = await prepared(
    sql,
    `select listing_id as id, vector from listing_embeddings
     where listing_id = any(?) and model = ?`,
    [listingIds, model],
  );
  return new Map(rows.map(({ id, vector }) => [id, floatsOf(vector)]));
}

function bytesOf(vector: Vector): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes;
}
