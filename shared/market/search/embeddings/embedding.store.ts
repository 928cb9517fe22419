import type { Sql } from '../../../platform/database/postgres.ts';
import { defineStatement } from '../../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  bytea,
  jsonb,
  nullable,
  type RowOf,
  text,
} from '../../../platform/database/sql-types.ts';
import { floatsOf, type Vector } from './embeddings-client.ts';

const STALE_LISTING = {
  id: bigint,
  domainUnicode: text,
  category: nullable(text),
  description: nullable(text),
  keywords: arrayOf(text),
  /** As Postgres writes it: it has to come back to the microsecond. */
  updatedAt: text,
  /** Of the text that the vector was made from; null without a vector of this model. */
  textHash: nullable(bytea),
};
/** A listing that changed since its vector was made, or that has none of this model. */
export type StaleListing = RowOf<typeof STALE_LISTING>;

/** The next stale listed domains after `afterId`, by id. */
export const selectStale = defineStatement({
  params: { model: text, afterId: bigint, limit: bigint },
  row: STALE_LISTING,
  text: `select l.id, l.domain_unicode as "domainUnicode", l.category, l.description, l.keywords,
      l.updated_at::text as "updatedAt",
      case when e.model = :model then e.text_hash end as "textHash"
    from listings l
    left join listing_embeddings e on e.listing_id = l.id
    where l.id > :afterId and l.status = 'listed'
      and (e.listing_id is null or e.model <> :model or e.listing_updated_at <> l.updated_at)
    order by l.id limit :limit`,
});

export const upsertEmbeddings = defineStatement({
  params: { model: text, embeddings: jsonb<readonly EmbeddingRow[]>() },
  text: `insert into listing_embeddings (listing_id, model, text_hash, vector, listing_updated_at)
    select r.id, :model, decode(r.hash, 'base64'), decode(r.vector, 'base64'), r.updated_at
    from jsonb_to_recordset(:embeddings::jsonb)
      as r(id bigint, hash text, vector text, updated_at timestamptz)
    -- A listing may be gone by now.
    join listings l on l.id = r.id
    on conflict (listing_id) do update set model = excluded.model, text_hash = excluded.text_hash,
      vector = excluded.vector, listing_updated_at = excluded.listing_updated_at`,
});

/** Notes that these listings changed in nothing that their vectors were made from. */
export const touchEmbeddings = defineStatement({
  params: { listings: jsonb<readonly Pick<StaleListing, 'id' | 'updatedAt'>[]>() },
  text: `update listing_embeddings e set listing_updated_at = r."updatedAt"
    from jsonb_to_recordset(:listings::jsonb) as r(id bigint, "updatedAt" timestamptz)
    where e.listing_id = r.id`,
});

/** Drops vectors of domains that are no longer listed. */
export const deleteUnlisted = defineStatement({
  params: { limit: bigint },
  text: `delete from listing_embeddings where listing_id in (
    select e.listing_id from listing_embeddings e
    join listings l on l.id = e.listing_id and l.status <> 'listed' limit :limit)`,
});

/** The vectors of these listings, as far as there are any of this model. */
export const selectVectors = defineStatement({
  params: { listingIds: arrayOf(bigint), model: text },
  row: { id: bigint, vector: bytea },
  text: `select listing_id as id, vector from listing_embeddings
    where listing_id = any(:listingIds) and model = :model`,
  plan: 'once',
});

export interface NewEmbedding {
  listingId: number;
  updatedAt: string;
  textHash: Buffer;
  vector: Vector;
}

/** Bytes as base64. */
interface EmbeddingRow {
  id: number;
  hash: string;
  vector: string;
  updated_at: string;
}

/** Keeps the vectors of listings, in place of earlier ones. */
export async function writeEmbeddings(
  sql: Sql,
  model: string,
  embeddings: readonly NewEmbedding[],
): Promise<void> {
  await upsertEmbeddings.run(sql, {
    model,
    embeddings: embeddings.map(({ listingId, updatedAt, textHash, vector }) => ({
      id: listingId,
      hash: textHash.toString('base64'),
      vector: bytesOf(vector).toString('base64'),
      updated_at: updatedAt,
    })),
  });
}

/** The vectors of these listings by id, as far as there are any of this model. */
export async function readVectors(
  sql: Sql,
  model: string,
  listingIds: readonly number[],
): Promise<Map<number, Vector>> {
  const rows = await selectVectors.all(sql, { listingIds, model });
  return new Map(rows.map(({ id, vector }) => [id, floatsOf(vector)]));
}

function bytesOf(vector: Vector): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes;
}
