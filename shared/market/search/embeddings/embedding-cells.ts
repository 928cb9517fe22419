import type { Database } from '../../../messaging/unit-of-work/database.ts';
import type { CellsRow, Placement, UnplacedVector } from './embedding.store.ts';
import {
  countVectors,
  drawCells,
  placeVectors,
  readCells,
  selectUnplaced,
} from './embedding.store.ts';
import { cosine, KEPT, type Vector, vectorOf } from './vector.ts';

/** The cells of a model's vector space, so that a search compares few of its vectors. */
export interface EmbeddingCells {
  id: number;
  /** Returns the key of the cell that contains a vector. */
  cellOf(vector: Vector): number;
  /** Returns the keys of the cells nearest to a vector, which hold a few thousand names in total. */
  cellsNear(vector: Vector): number[];
  dimensions: number;
}

/** Fewer vectors do not represent the space; more cells take too long to compare. */
const CELLS = { least: 4, most: 1_024 } as const;
const NAMES_PER_CELL = 64;
/** Cells are redrawn when there are this many times as many vectors as they were drawn from. */
const GROWTH = 4;
const NAMES_LOOKED_AT = 1_500;

/** Returns the signs of a vector's numbers as bits. The nearer two vectors are, the fewer of their bits differ. */
export function signatureOf(vector: Vector): string {
  return Array.from(vector.subarray(0, KEPT), (value) => (value > 0 ? '1' : '0')).join('');
}

/** Builds the cells from their stored form. */
export function toCells({ id, drawnOf, middles, dimensions }: CellsRow): EmbeddingCells {
  const count = middles.length / dimensions;
  const all = Array.from({ length: count }, (_, at) =>
    vectorOf(middles.subarray(at * dimensions, (at + 1) * dimensions)),
  );
  const cosines = (vector: Vector) => all.map((middle) => cosine(vector, middle));
  const key = (cell: number) => id * CELLS.most + cell;
  // Each cell may have grown up to `GROWTH` times since the cells were drawn.
  const looked = Math.ceil((NAMES_LOOKED_AT * count) / drawnOf);
  return {
    id,
    dimensions,
    cellOf(vector) {
      const near = cosines(vector);
      return key(near.indexOf(Math.max(...near)));
    },
    cellsNear(vector) {
      const near = cosines(vector);
      return Array.from(near.keys())
        .sort((a, b) => (near[b] ?? 0) - (near[a] ?? 0))
        .slice(0, looked)
        .map(key);
    },
  };
}

/** Returns the first and last key of a set of cells. */
function keysOf(id: number): { from: number; to: number } {
  return { from: id * CELLS.most, to: id * CELLS.most + CELLS.most - 1 };
}

/**
 * Draws a model's cells if it has none or the inventory has outgrown them, and assigns vectors without a cell. Safe to
 * run twice at once.
 */
export async function placeEmbeddings(
  db: Database,
  model: string,
  batchSize: number,
  goesOn: () => boolean,
): Promise<void> {
  const count = await countVectors(db.knex, model);
  const known = await readCells(db.knex, model);
  if (count >= CELLS.least && count >= GROWTH * (known?.drawnOf ?? 0)) {
    const wanted = Math.min(CELLS.most, Math.max(CELLS.least, Math.ceil(count / NAMES_PER_CELL)));
    await drawCells(db.knex, model, { wanted, drawnOf: count });
  }
  const row = await readCells(db.knex, model);
  if (!row) return;
  const cells = toCells(row);
  for (let afterId = 0; goesOn(); ) {
    const unplaced = await selectUnplaced.all(db.knex, {
      model,
      afterId,
      limit: batchSize,
      ...keysOf(cells.id),
    });
    const last = unplaced.at(-1);
    if (!last) return;
    afterId = last.listingId;
    await placeVectors(
      db.knex,
      model,
      unplaced.map((each) => placementOf(each, cells)),
    );
  }
}

function placementOf({ listingId, vector }: UnplacedVector, cells: EmbeddingCells): Placement {
  const floats = vectorOf(vector);
  return { listingId, cell: cells.cellOf(floats), signature: signatureOf(floats) };
}
