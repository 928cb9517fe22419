import { toCandidateFilter } from '../../shared/market/search/candidate-filter.ts';
import { businessKinds } from '../../shared/market/search/kinds/kinds.ts';
import {
  findCandidates,
  interpretSearch,
  readTopic,
  type SearchDeps,
} from '../../shared/market/search/search-listings.ts';
import { writeQuery } from '../../shared/market/search/write-query.ts';
import type { Answered } from './figures.ts';
import { ENVIRONMENT } from './systems.ts';

/** A badly answered query, and what went wrong. */
export interface Failure {
  answer: Answered;
  /** The query as search understood it. `kinds` are the most likely kinds of business. */
  understood: string;
  kinds: readonly string[];
  why: 'never a candidate' | 'cut' | 'order';
}

const MOST = 20;
const KINDS = 3;
const GOOD = 2;

/** Returns the worst answered query of each kind; at most 20, worst first. */
export async function readFailures(
  runtime: SearchDeps,
  answered: readonly Answered[],
): Promise<Failure[]> {
  const worst = new Map<string, Answered>();
  for (const answer of answered) {
    const { label, ndcg } = answer;
    if (label.grades.size > 0 && ndcg < (worst.get(label.kind)?.ndcg ?? 1)) {
      worst.set(label.kind, answer);
    }
  }
  const failures: Failure[] = [];
  for (const answer of [...worst.values()].sort((a, b) => a.ndcg - b.ndcg).slice(0, MOST)) {
    const asked = interpretSearch({ query: answer.label.query });
    const topic = await readTopic(runtime, asked.topic);
    const found =
      topic.query.words.length === 0
        ? []
        : await findCandidates(runtime, ENVIRONMENT, topic, toCandidateFilter(asked, {}));
    const isFound = found.some(
      ({ domainUnicode }) => (answer.label.grades.get(domainUnicode) ?? 0) >= GOOD,
    );
    const hasRoom = answer.domains.length < 5;
    failures.push({
      answer,
      understood: writeQuery(asked),
      kinds: topic.kinds.slice(0, KINDS).map(({ kind }) => businessKinds().nameOf(kind)),
      why: isFound ? (hasRoom ? 'cut' : 'order') : 'never a candidate',
    });
  }
  return failures;
}
