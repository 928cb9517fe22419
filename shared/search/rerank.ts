import { createScorer, type ScoreExplanation } from './judge.ts';
import type { ParsedQuery } from './query.ts';
import type { Candidate } from './search.store.ts';
import { RANKING_WEIGHTS } from './weights.ts';

/** A candidate and how well it answers, 0 to 1. */
export interface Ranked {
  candidate: Candidate;
  score: number;
  reason: ScoreExplanation;
}

/**
 * Orders candidates by how well they answer, best first, and drops what is not really about the query. A
 * name that several ways of finding brought counts once.
 */
export function rerank(query: ParsedQuery, candidates: readonly Candidate[]): Ranked[] {
  const judge = createScorer(query);
  const { threshold } = RANKING_WEIGHTS;
  const seen = new Set<number>();
  const ranked: Ranked[] = [];
  for (const candidate of candidates) {
    if (seen.has(candidate.listingId)) continue;
    seen.add(candidate.listingId);
    const reason = judge(candidate);
    if (reason.coverage < threshold.coverage || reason.score < threshold.score) continue;
    ranked.push({ candidate, score: Math.round(reason.score * 1_000) / 1_000, reason });
  }
  ranked.sort((a, b) => b.score - a.score || (a.candidate.domain < b.candidate.domain ? -1 : 1));
  const best = Math.min(ranked[0]?.score ?? 0, threshold.bestCounted);
  return ranked.filter(({ score }) => score >= best * threshold.shareOfBest);
}
