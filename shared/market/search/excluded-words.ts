import { candidateTerms, similarityTo } from './match-term.ts';
import { type ParsedQuery, parseQuery } from './parse-query.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';
import type { Candidate } from './search.store.ts';

/**
 * Returns the candidates that match none of the excluded phrases. A name matches a phrase if each of its words, or a
 * form or synonym, is in the label or the owner's texts. The words of `topic` and their synonyms are never excluded:
 * "bakery, not bread" keeps bakeries, although bread is related to them.
 */
export function withoutExcluded(
  candidates: readonly Candidate[],
  excluded: readonly string[],
  topic: ParsedQuery | null,
): readonly Candidate[] {
  if (excluded.length === 0) return candidates;
  const tests = excluded.map((phrase) => isAbout(phrase, topic));
  return candidates.filter((candidate) => !tests.some((test) => test(candidate)));
}

function isAbout(phrase: string, topic: ParsedQuery | null): (candidate: Candidate) => boolean {
  const { form, synonym } = RANKING_WEIGHTS.match;
  const asked = topic?.words.map(similarityTo) ?? [];
  const isAsked = (stemmed: string, least: number) =>
    asked.some((similarity) => similarity.to(stemmed) >= least);
  const words = parseQuery(phrase).words.map((word) => ({
    ...word,
    similarity: similarityTo(word),
  }));
  return (candidate) => {
    const { labelWords, stems, tags, about, tld } = candidateTerms(candidate);
    const said = [...stems, ...tags, ...about, ...(tld === null ? [] : [tld])];
    return (
      words.length > 0 &&
      words.every(
        ({ word, similarity }) =>
          labelWords.includes(word) ||
          said.some((stemmed) => {
            const likeness = similarity.to(stemmed);
            if (likeness < synonym) return false;
            return !isAsked(stemmed, likeness >= form ? form : synonym);
          }),
      )
    );
  };
}
