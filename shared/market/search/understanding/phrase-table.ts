import type { QueryToken } from './query-tokens.ts';

/** Phrases of the language and what each means; read at a place of a query. */
export interface PhraseTable<T> {
  /** The longest phrase that begins at `at`; the phrase ends before `end`. */
  at(tokens: readonly QueryToken[], at: number): { end: number; value: T } | undefined;
}

/** Phrases are words between spaces, lower case; hyphens of a query count as spaces. */
export function phraseTable<T>(
  entries: Iterable<readonly [phrase: string, value: T]>,
): PhraseTable<T> {
  const byFirst = new Map<string, { words: readonly string[]; value: T }[]>();
  for (const [phrase, value] of entries) {
    const words = phrase.split(' ');
    const [first = ''] = words;
    byFirst.set(first, [...(byFirst.get(first) ?? []), { words, value }]);
  }
  for (const phrases of byFirst.values()) {
    phrases.sort((a, b) => b.words.length - a.words.length);
  }
  return {
    at(tokens, at) {
      const found = byFirst
        .get(tokens[at]?.word ?? '')
        ?.find(({ words }) => words.every((word, offset) => tokens[at + offset]?.word === word));
      return found && { end: at + found.words.length, value: found.value };
    },
  };
}

/** Phrases that all mean the same. */
export function phrases(list: string): PhraseTable<true> {
  return phraseTable(
    list
      .split(',')
      .map((phrase) => phrase.trim())
      .filter((phrase) => phrase !== '')
      .map((phrase) => [phrase, true] as const),
  );
}

/** The place after a phrase of the table, or `at` itself when none begins there. */
export function skip(
  table: PhraseTable<unknown>,
  tokens: readonly QueryToken[],
  at: number,
): number {
  return table.at(tokens, at)?.end ?? at;
}
