import type { Database } from '../../../messaging/unit-of-work/database.ts';
import { type Clock, MINUTE } from '../../../platform/clock.ts';
import { inTime } from '../../../platform/concurrency/deadline.ts';
import { readCells } from './embedding.store.ts';
import { type EmbeddingCells, signatureOf, toCells } from './embedding-cells.ts';
import type { QueryVectors } from './query-vectors.ts';
import { cosine, floatsOf } from './vector.ts';

/** Where names are looked for by their vectors: cells, and the bits that theirs should be like. */
export interface VectorPlace {
  cells: readonly number[];
  signature: string;
  limit: number;
}

/** Something that was found by its vector, and how near it is to the query, 0 to 1. */
export interface Near<T> {
  found: T;
  nearness: number;
}

/** The leg of a search that an embedding model is. */
export interface NameFinder {
  /**
   * What `read` finds at the place of a query. Never fails, and never waits past its budget: without a vector in
   * time, there is nothing.
   */
  findNearest<T extends { vector: Buffer }>(
    query: string,
    read: (place: VectorPlace) => Promise<readonly T[]>,
  ): Promise<readonly Near<T>[]>;
}

const NAMES = 80;
const CELLS_FRESH_MS = MINUTE;

/** Looks through the vectors of the model in the cells nearest to the query. */
export function createNameFinder({
  db,
  clock,
  model,
  queryVectors,
  budgetMs,
}: {
  db: Database;
  clock: Clock;
  model: string;
  queryVectors: QueryVectors;
  budgetMs: number;
}): NameFinder {
  let kept: { cells: Promise<EmbeddingCells | undefined>; readAt: number } | undefined;
  const currentCells = () => {
    const now = clock.now().getTime();
    if (!kept || now - kept.readAt > CELLS_FRESH_MS) {
      const cells = readCells(db.knex, model).then((row) => row && toCells(row));
      cells.catch(() => {
        kept = undefined;
      });
      kept = { cells, readAt: now };
    }
    return kept.cells;
  };

  const find: NameFinder['findNearest'] = async (query, read) => {
    const [wanted, cells] = await Promise.all([queryVectors(query), currentCells()]);
    if (!wanted || !cells) return [];
    const place = { cells: cells.cellsNear(wanted), signature: signatureOf(wanted), limit: NAMES };
    return (await read(place)).map((found) => ({
      found,
      nearness: cells.worthOf(cosine(wanted, floatsOf(found.vector))),
    }));
  };

  return {
    findNearest: (query, read) => inTime(find(query, read), budgetMs).catch(() => []),
  };
}
