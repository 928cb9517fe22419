import type { Database } from '../../../messaging/unit-of-work/database.ts';
import { inTime } from '../../../platform/concurrency/deadline.ts';
import { readVectors } from './embedding.store.ts';
import type { QueryVectors } from './query-vectors.ts';
import { cosine } from './vector.ts';

/** A listing that search found, with its score from 0 to 1. */
interface Scored {
  candidate: { listingId: number };
  score: number;
}

/** The last word on the order of what search found. */
export interface Rescorer {
  /**
   * The same candidates with new scores, best first. Never fails, and never waits past its budget: without
   * vectors in time, they come back as they are.
   */
  rescore<T extends Scored>(query: string, candidates: readonly T[]): Promise<readonly T[]>;
}

/** The share of the score that nearness in meaning has. */
const WEIGHT = 0.3;
/** Candidates past these have no way into the results. */
const MOST_CANDIDATES = 50;

/**
 * Mixes what search thinks of a listing with how near the vectors of query and listing are: 0.7 of the score
 * and 0.3 of the cosine (negative ones count as 0). A listing without a vector gets the mean cosine of the
 * others. What scores 1 is the very name that was asked for, and stays so.
 */
export function createRescorer({
  db,
  model,
  queryVectors,
  budgetMs,
}: {
  db: Database;
  model: string;
  queryVectors: QueryVectors;
  budgetMs: number;
}): Rescorer {
  const nearness = async (query: string, listingIds: readonly number[]) => {
    const [wanted, vectors] = await Promise.all([
      queryVectors(query),
      readVectors(db.knex, model, listingIds),
    ]);
    const near = new Map<number, number>();
    for (const [id, vector] of vectors) {
      if (wanted && vector.length === wanted.length)
        near.set(id, Math.max(0, cosine(wanted, vector)));
    }
    return near;
  };

  return {
    async rescore(query, candidates) {
      const first = candidates.slice(0, MOST_CANDIDATES);
      if (first.length === 0) return candidates;
      const ids = first.map(({ candidate }) => candidate.listingId);
      const near = await inTime(nearness(query, ids), budgetMs).catch(() => undefined);
      return near ? mix(candidates, near) : candidates;
    },
  };
}

function mix<T extends Scored>(
  candidates: readonly T[],
  near: ReadonlyMap<number, number>,
): readonly T[] {
  if (near.size === 0) return candidates;
  const usual = [...near.values()].reduce((sum, value) => sum + value, 0) / near.size;
  return candidates
    .map((scored) => {
      if (scored.score >= 1) return scored;
      const share = Math.min(1, near.get(scored.candidate.listingId) ?? usual);
      const score = (1 - WEIGHT) * scored.score + WEIGHT * share;
      return { ...scored, score: Math.round(score * 1_000) / 1_000 };
    })
    .sort((a, b) => b.score - a.score);
}
