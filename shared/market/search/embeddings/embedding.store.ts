import type { Sql } from '../../../platform/database/postgres.ts';
import { defineStatement } from '../../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  bytea,
  integer,
  jsonb,
  nullable,
  type RowOf,
  text,
} from '../../../platform/database/sql-types.ts';
import { bytesOf, type Vector } from './vector.ts';

const STALE_LISTING = {
  id: bigint,
  domainUnicode: text,
  category: nullable(text),
  description: nullable(text),
  keywords: arrayOf(text),
  /** Text as Postgres writes it, to keep the microseconds. */
  updatedAt: text,
  /** Hash of the text the vector was made from; null without a vector of this model. */
  textHash: nullable(bytea),
};
/** A listing that changed since its vector was made, or has no vector of this model. */
export type StaleListing = RowOf<typeof STALE_LISTING>;

/** The next stale listed domains after `afterId`, by id. */
export const selectStale = defineStatement({
  params: { model: text, afterId: bigint, limit: bigint },
  row: STALE_LISTING,
  text: `select l.id, l.domain_unicode as "domainUnicode", l.category, l.description, l.keywords,
      l.updated_at::text as "updatedAt",
      case when e.model = :model then e.text_hash end as "textHash"
    from listings l
    -- Without the second condition, a merge join would read all vectors from the first one for each batch.
    left join listing_embeddings e on e.listing_id = l.id and e.listing_id > :afterId
    where l.id > :afterId and l.status = 'listed'
      and (e.listing_id is null or e.model <> :model or e.listing_updated_at <> l.updated_at)
    order by l.id limit :limit`,
});

export const upsertEmbeddings = defineStatement({
  params: { model: text, embeddings: jsonb<readonly EmbeddingRow[]>() },
  text: `insert into listing_embeddings (listing_id, environment, model, text_hash, vector,
      listing_updated_at)
    select r.id, l.environment, :model, decode(r.hash, 'base64'), decode(r.vector, 'base64'),
      r.updated_at
    from jsonb_to_recordset(:embeddings::jsonb)
      as r(id bigint, hash text, vector text, updated_at timestamptz)
    -- A listing may be gone by now.
    join listings l on l.id = r.id
    on conflict (listing_id) do update set model = excluded.model, text_hash = excluded.text_hash,
      vector = excluded.vector, listing_updated_at = excluded.listing_updated_at,
      environment = excluded.environment, cell = null, signature = null`,
});

/** Records that the text behind these listings' vectors did not change. */
export const touchEmbeddings = defineStatement({
  params: { listings: jsonb<readonly Pick<StaleListing, 'id' | 'updatedAt'>[]>() },
  text: `update listing_embeddings e set listing_updated_at = r."updatedAt"
    from jsonb_to_recordset(:listings::jsonb) as r(id bigint, "updatedAt" timestamptz)
    where e.listing_id = r.id`,
});

/** Deletes the vectors of domains that are no longer listed. */
export const deleteUnlisted = defineStatement({
  params: { limit: bigint },
  text: `delete from listing_embeddings where listing_id in (
    select e.listing_id from listing_embeddings e
    join listings l on l.id = e.listing_id and l.status <> 'listed' limit :limit)`,
});

export const countVectorsOf = defineStatement({
  params: { model: text },
  row: { vectors: bigint },
  text: `select count(*) as vectors from listing_embeddings where model = :model`,
});

const CELLS = { id: integer, drawnOf: bigint, middles: bytea, dimensions: integer };
/** The cells of a model; `middles` are their center vectors, concatenated. */
export type CellsRow = RowOf<typeof CELLS>;

export const selectCells = defineStatement({
  params: { model: text },
  row: CELLS,
  text: `select c.id, c.drawn_of as "drawnOf", c.middles,
      e.dimensions
    from embedding_cells c
    cross join lateral (select octet_length(e.vector) as dimensions from listing_embeddings e
      where e.model = c.model limit 1) e
    where c.model = :model`,
});

/** Draws new cells, unless another process already has. */
export const upsertCells = defineStatement({
  params: { model: text, wanted: bigint, drawnOf: bigint },
  text: `insert into embedding_cells (model, drawn_of, middles)
    select :model, :drawnOf, string_agg(d.vector, '')
    from (select e.vector from listing_embeddings e where e.model = :model
      order by random() limit :wanted) d
    having count(*) > 0
    on conflict (model) do update set id = default, drawn_of = excluded.drawn_of,
      middles = excluded.middles
    where embedding_cells.drawn_of < excluded.drawn_of`,
});

const UNPLACED = { listingId: bigint, vector: bytea };
export type UnplacedVector = RowOf<typeof UNPLACED>;

/** The next vectors after `afterId` without a cell in the range `from` to `to`. */
export const selectUnplaced = defineStatement({
  params: { model: text, afterId: bigint, limit: bigint, from: integer, to: integer },
  row: UNPLACED,
  text: `select listing_id as "listingId", vector from listing_embeddings
    where model = :model and listing_id > :afterId
      and (cell is null or cell not between :from::integer and :to::integer)
    order by listing_id limit :limit`,
});

/** The cell and signature of a listing's vector. */
export interface Placement {
  listingId: number;
  cell: number;
  signature: string;
}

/** Updates the cells, signatures and environments of vectors. */
export const updatePlaces = defineStatement({
  params: { model: text, placements: jsonb<readonly Placement[]>() },
  text: `update listing_embeddings e set cell = r.cell, signature = r.signature::bit varying,
      environment = l.environment
    from jsonb_to_recordset(:placements::jsonb)
      as r("listingId" bigint, cell integer, signature text)
    join listings l on l.id = r."listingId"
    where e.listing_id = r."listingId" and e.model = :model`,
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

/** Stores the vectors of listings, replacing earlier ones. */
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

/** Returns the number of vectors of this model. */
export async function countVectors(sql: Sql, model: string): Promise<number> {
  return (await countVectorsOf.one(sql, { model })).vectors;
}

/** Returns the cells of a model; undefined if not drawn yet. */
export async function readCells(sql: Sql, model: string): Promise<CellsRow | undefined> {
  return (await selectCells.all(sql, { model }))[0];
}

/** Draws `wanted` cells from a model's `drawnOf` vectors, unless already done. */
export async function drawCells(
  sql: Sql,
  model: string,
  { wanted, drawnOf }: { wanted: number; drawnOf: number },
): Promise<void> {
  await upsertCells.run(sql, { model, wanted, drawnOf });
}

/** Stores the cells and signatures of vectors. */
export async function placeVectors(
  sql: Sql,
  model: string,
  placements: readonly Placement[],
): Promise<void> {
  await updatePlaces.run(sql, { model, placements });
}
