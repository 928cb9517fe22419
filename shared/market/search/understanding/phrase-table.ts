import type { QueryToken } from './query-tokens.ts';

/** Phrases with their meanings, to look up at a position in a query. */
export interface PhraseTable<T> {
  /** Returns the longest phrase that begins at `at`; it ends before `end`. */
  at(tokens: readonly QueryToken[], at: number): { end: number; value: T } | undefined;
}

/** Phrases are lowercase words separated by spaces. Hyphens in a query count as spaces. */
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

/** Splits a list at each comma followed by a space, so that a comma itself can be a phrase. */
export function phrasesOf(list: string): string[] {
  return list
    .trim()
    .split(/,\s+/)
    .filter((phrase) => phrase !== '');
}

/** Creates a table from lists of phrases, each list with one meaning. */
export function phraseLists<T>(lists: Iterable<readonly [list: string, value: T]>): PhraseTable<T> {
  return phraseTable(
    [...lists].flatMap(([list, value]) =>
      phrasesOf(list).map((phrase) => [phrase, value] as const),
    ),
  );
}

/** Creates a table of phrases with the same meaning. */
export function phrases(list: string): PhraseTable<true> {
  return phraseLists([[list, true]]);
}

/** Returns the position after a phrase of the table, or `at` if none begins there. */
export function skip(
  table: PhraseTable<unknown>,
  tokens: readonly QueryToken[],
  at: number,
): number {
  return table.at(tokens, at)?.end ?? at;
}
