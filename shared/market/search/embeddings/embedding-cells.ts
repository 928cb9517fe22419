import type { Database } from '../../../messaging/unit-of-work/database.ts';
import type { CellsRow, Placement, UnplacedVector } from './embedding.store.ts';
import {
  countVectors,
  drawCells,
  placeVectors,
  readCells,
  selectUnplaced,
} from './embedding.store.ts';
import { cosine, floatsOf, type Vector } from './vector.ts';

/** How the space of a model is divided, so that a search looks at few of its vectors. */
export interface EmbeddingCells {
  id: number;
  /** The key of the cell that a vector is in. */
  cellOf(vector: Vector): number;
  /** The keys of the cells nearest to a vector: together they have some thousands of names. */
  cellsNear(vector: Vector): number[];
  /** What a cosine says: 0 for one that unrelated names have, 1 for one that hardly any has. */
  worthOf(cosine: number): number;
}

/** Fewer vectors say nothing of a space; more cells take long to compare with. */
const CELLS = { least: 16, most: 1_024 } as const;
const NAMES_PER_CELL = 64;
/** When there are so many times more vectors than the cells were drawn of, they are drawn anew. */
const GROWTH = 4;
const NAMES_LOOKED_AT = 4_000;
/** From how many deviations above the mean cosine of two names on a cosine says something, and where it says all. */
const DEVIATIONS = { from: 1.5, full: 5 } as const;
const HIGHEST_FULL = 0.95;
/** Of so many cells the cosines are compared. */
const COMPARED = 64;
const SIGNATURE_BITS = 512;

/** The signs of a vector's numbers as bits: those of two vectors differ in the fewer places the nearer they are. */
export function signatureOf(vector: Vector): string {
  return Array.from(vector.subarray(0, SIGNATURE_BITS), (value) => (value > 0 ? '1' : '0')).join(
    '',
  );
}

/** The cells as they are kept. */
export function toCells({ id, drawnOf, middles, dimensions }: CellsRow): EmbeddingCells {
  const all = floatsOf(middles);
  const count = all.length / dimensions;
  const middle = (at: number) => all.subarray(at * dimensions, (at + 1) * dimensions);
  const cosines = (vector: Vector) =>
    Array.from({ length: count }, (_, at) => cosine(vector, middle(at)));
  const key = (cell: number) => id * CELLS.most + cell;
  const { from, full } = scaleOf(
    Array.from({ length: Math.min(count, COMPARED) }, (_, at) => middle(at)),
  );
  // Of vectors that came later each cell has up to `GROWTH` times as many.
  const looked = Math.ceil((NAMES_LOOKED_AT * count) / drawnOf);
  return {
    id,
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
    worthOf: (value) => Math.min(1, Math.max(0, (value - from) / (full - from))),
  };
}

/** Models differ in how near they find unrelated texts, so the middles, drawn at random, tell. */
function scaleOf(middles: readonly Vector[]): { from: number; full: number } {
  const cosines = middles.flatMap((one, at) =>
    middles.slice(0, at).map((other) => cosine(one, other)),
  );
  const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
  const variance = cosines.reduce((sum, value) => sum + (value - mean) ** 2, 0) / cosines.length;
  const at = (deviations: number) => mean + deviations * Math.sqrt(variance);
  const full = Math.min(HIGHEST_FULL, at(DEVIATIONS.full));
  return { full, from: Math.min(at(DEVIATIONS.from), full - 0.01) };
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
  const floats = floatsOf(vector);
  return { listingId, cell: cells.cellOf(floats), signature: signatureOf(floats) };
}
