import type { QueryTerm } from './query.ts';
import { thesaurus } from './thesaurus.ts';
import { RANKING_WEIGHTS } from './weights.ts';

/** What a word of a query is close to. */
export interface TermSimilarity {
  /** How well a stem meets the word, 0 to 1, wherever it is. */
  to(stemmed: string): number;
  /** Stems of its two parts, when they stand for it side by side. */
  parts: readonly string[];
}

const remembered = new WeakMap<QueryTerm, TermSimilarity>();

/** Worked out once a word of a remembered query. */
export function similarityTo(word: QueryTerm): TermSimilarity {
  let closeness = remembered.get(word);
  if (!closeness) {
    const values = valuesOf(word);
    closeness = { to: (stemmed) => values.get(stemmed) ?? 0, parts: word.parts };
    remembered.set(word, closeness);
  }
  return closeness;
}

function valuesOf({
  stem,
  joined,
  forms,
  repairs,
  groups,
}: QueryTerm): ReadonlyMap<string, number> {
  const { match } = RANKING_WEIGHTS;
  const values = new Map<string, number>();
  const add = (stemmed: string, value: number) => {
    if (value > (values.get(stemmed) ?? 0)) values.set(stemmed, value);
  };
  add(stem, match.sameStem);
  for (const both of joined) add(both, match.joined);
  for (const form of forms) add(form, match.form);
  for (const repair of repairs) add(repair.stem, match.sameStem * repair.likeness);
  // What is meant by a misspelt word is as unsure as its repair.
  const sure = repairs[0]?.likeness ?? 1;
  for (const [group, membership] of groups) {
    const { core, related } = thesaurus().stemsOf(group);
    for (const other of core) {
      add(other, sure * (membership === 'core' ? match.synonym : match.relatedToAsked));
    }
    if (membership === 'core') {
      for (const other of related) add(other, sure * match.relatedToFound);
    }
  }
  return values;
}
