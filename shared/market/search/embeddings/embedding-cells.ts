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

/** How the space of a model is divided, so that a search looks at few of its vectors. */
export interface EmbeddingCells {
  id: number;
  /** The key of the cell that a vector is in. */
  cellOf(vector: Vector): number;
  /** The keys of the cells nearest to a vector: together they have some thousands of names. */
  cellsNear(vector: Vector): number[];
  dimensions: number;
}

/** Fewer vectors say nothing of a space; more cells take long to compare with. */
const CELLS = { least: 4, most: 1_024 } as const;
const NAMES_PER_CELL = 64;
/** When there are so many times more vectors than the cells were drawn of, they are drawn anew. */
const GROWTH = 4;
const NAMES_LOOKED_AT = 1_500;

/** The signs of a vector's numbers as bits: those of two vectors differ in the fewer places the nearer they are. */
export function signatureOf(vector: Vector): string {
  return Array.from(vector.subarray(0, KEPT), (value) => (value > 0 ? '1' : '0')).join('');
}

/** The cells as they are kept. */
export function toCells({ id, drawnOf, middles, dimensions }: CellsRow): EmbeddingCells {
  const count = middles.length / dimensions;
  const all = Array.from({ length: count }, (_, at) =>
    vectorOf(middles.subarray(at * dimensions, (at + 1) * dimensions)),
  );
  const cosines = (vector: Vector) => all.map((middle) => cosine(vector, middle));
  const key = (cell: number) => id * CELLS.most + cell;
  // Of vectors that came later each cell has up to `GROWTH` times as many.
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

/** The first and the last key of a set of cells. */
function keysOf(id: number): { from: number; to: number } {
  return { from: id * CELLS.most, to: id * CELLS.most + CELLS.most - 1 };
}

/**
 * Draws the cells of a model when it has none, or when the inventory has outgrown them, and puts the vectors that are
 * in none of them into theirs. May run twice at once.
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
