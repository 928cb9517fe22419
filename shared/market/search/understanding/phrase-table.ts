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

/** The phrases of a list: a comma and a space stand between them, so that a comma may be one. */
export function phrasesOf(list: string): string[] {
  return list
    .trim()
    .split(/,\s+/)
    .filter((phrase) => phrase !== '');
}

/** Lists of phrases, and what those of each mean. */
export function phraseLists<T>(lists: Iterable<readonly [list: string, value: T]>): PhraseTable<T> {
  return phraseTable(
    [...lists].flatMap(([list, value]) =>
      phrasesOf(list).map((phrase) => [phrase, value] as const),
    ),
  );
}

/** Phrases that all mean the same. */
export function phrases(list: string): PhraseTable<true> {
  return phraseLists([[list, true]]);
}

/** The place after a phrase of the table, or `at` itself when none begins there. */
export function skip(
  table: PhraseTable<unknown>,
  tokens: readonly QueryToken[],
  at: number,
): number {
  return table.at(tokens, at)?.end ?? at;
}
