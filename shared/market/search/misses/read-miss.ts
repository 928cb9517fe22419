import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../../platform/config/config.ts';
import { toCandidateFilter } from '../candidate-filter.ts';
import { withoutExcluded } from '../excluded-words.ts';
import { businessKinds } from '../kinds/kinds.ts';
import { correctSpelling } from '../parse-query.ts';
import { scoreCandidates } from '../scorer.ts';
import { findCandidates, interpretSearch, readTopic, type SearchDeps } from '../search-listings.ts';
import { NO_LIMITS, type QueryLimits } from '../understanding/interpretation.ts';
import { writeQuery } from '../write-query.ts';

/** How a query was understood, and the names nearest to answering it. */
export interface MissReading {
  topic: string;
  /** The limits the query sets. */
  limits: Partial<QueryLimits>;
  /** The topic with corrected spelling; null if nothing was corrected. */
  corrected: string | null;
  /** Likeliest first. */
  kinds: readonly { name: string; likeness: number }[];
  /** Best first, however low the score, but always within the limits. */
  nearest: readonly { domain: string; score: number }[];
}

const MOST = 3;

/** Returns what was understood as text: `bakery, .com, under $500`. */
export function writeReading({ topic, corrected, limits }: MissReading): string {
  return writeQuery({ ...NO_LIMITS, ...limits, topic: corrected ?? topic });
}

/** Interprets a query like a search and scores its candidates before any cutoff. */
export async function readMiss(
  deps: SearchDeps,
  environment: Environment,
  query: string,
): Promise<MissReading> {
  const asked = interpretSearch({ query });
  const { topic, ...limits } = asked;
  const read = await readTopic(deps, topic);
  const found =
    read.query.words.length === 0
      ? []
      : await findCandidates(deps, environment, read, toCandidateFilter(asked, {}));
  const candidates = withoutExcluded(found, asked.excluded, read.query);
  return {
    topic,
    limits: Object.fromEntries(
      Object.entries(limits).filter(
        ([key, value]) => !isDeepStrictEqual(value, NO_LIMITS[key as keyof QueryLimits]),
      ),
    ),
    corrected: correctSpelling(topic),
    kinds: read.kinds.slice(0, MOST).map(({ kind, likeness }) => ({
      name: businessKinds().nameOf(kind),
      likeness: rounded(likeness),
    })),
    nearest: scoreCandidates(read, candidates)
      .sort((a, b) => b.score - a.score)
      .slice(0, MOST)
      .map(({ candidate, score }) => ({ domain: candidate.domainUnicode, score: rounded(score) })),
  };
}

function rounded(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}
