import type { ParsedQuery } from './query.ts';
import { type Asked, askedBy, coverageOf, precisionOf, qualityOf } from './rank-features.ts';
import type { Candidate } from './search.store.ts';

/** A candidate and how well it answers, 0 to 1. */
export interface Ranked {
  candidate: Candidate;
  score: number;
}

/** Below these a name is not an answer but a coincidence. */
const RELEVANT = 0.33;
const MIN_COVERAGE = 0.33;
/** Answers much weaker than the best one only blur it. */
const SHARE_OF_BEST = 0.5;

/** Only a label that is the query itself scores above this, and only the very domain scores 1. */
const EXACT_LABEL = 0.94;

const WEIGHTS = { coverage: 0.75, precision: 0.17, quality: 0.08 } as const;

/**
 * Orders candidates by how well they answer, best first, and drops what does not. The features: how much of
 * the query a name covers, how much of the name the query explains, and how good the name is by itself.
 */
export function rerank(query: ParsedQuery, candidates: readonly Candidate[]): Ranked[] {
  const asked = askedBy(query);
  const ranked = candidates
    .map((candidate) => ({ candidate, score: round(scoreOf(asked, candidate)) }))
    .filter(({ score }) => score >= RELEVANT)
    .sort((a, b) => b.score - a.score || (a.candidate.domain < b.candidate.domain ? -1 : 1));
  const best = ranked[0]?.score ?? 0;
  return ranked.filter(({ score }) => score >= best * SHARE_OF_BEST);
}

function scoreOf(asked: Asked, candidate: Candidate): number {
  const quality = qualityOf(candidate);
  const { domain, joined } = asked.query;
  if (domain && candidate.domainUnicode === `${domain.label}.${domain.tld}`) return 1;
  if (candidate.label === joined) return EXACT_LABEL + (0.99 - EXACT_LABEL) * quality;
  const coverage = coverageOf(asked, candidate);
  if (coverage < MIN_COVERAGE) return 0;
  const precision = precisionOf(asked, candidate);
  return (
    EXACT_LABEL *
    (WEIGHTS.coverage * coverage + WEIGHTS.precision * precision + WEIGHTS.quality * quality)
  );
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
