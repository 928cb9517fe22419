import { readFileSync } from 'node:fs';
import { stem } from './stem.ts';
import { createWordTable, type WordTable } from './word-table.ts';

/**
 * The marks of a line of `lexicon.txt`, as bits: in a dictionary (w), mainly an adjective (a), a place name (p), a person
 * or an animal (l).
 */
const MARKS = { w: 1, a: 2, p: 4, l: 8 } as const;
type Mark = keyof typeof MARKS;

let loaded: WordTable | undefined;

/** Returns whether an English dictionary has the word, or one with the same stem; others may be names or typos. */
export function isInDictionary(word: string): boolean {
  return isMarked(stem(word), 'w');
}

/** Endings of nouns that share an adjective's stem: "flats", "publicity", "fitness". */
const NOUN_ENDING = /(?:[^su]s|ity|[st]ion|ment|ness)$/;

/** Returns whether a word is mainly an adjective. */
export function isAdjective(word: string): boolean {
  return !NOUN_ENDING.test(word) && isAdjectiveStem(stem(word));
}

/** Returns whether the most common words of a stem are mainly adjectives. */
export function isAdjectiveStem(stemmed: string): boolean {
  return isMarked(stemmed, 'a');
}

/** Returns whether a word is mainly a place name. */
export function isPlace(word: string): boolean {
  return isMarked(stem(word), 'p');
}

/** Returns whether a word is mainly a person or an animal: "tailor", "kids", "dogs". */
export function isLiving(word: string): boolean {
  // Verb forms share the stem of the person: "tailored".
  return !/(?:ed|ing)$/.test(word) && isMarked(stem(word), 'l');
}

function isMarked(stemmed: string, mark: Mark): boolean {
  loaded ??= load();
  return ((loaded.get(stemmed) ?? 0) & MARKS[mark]) !== 0;
}

function load(): WordTable {
  const text = readFileSync(new URL('./data/lexicon.txt', import.meta.url), 'latin1');
  const words = text.split('\n').length - 1;
  const table = createWordTable({ words, letters: text.length });
  for (const [, name = '', marks = ''] of text.matchAll(/^(\S+) ([wapl]+)$/gm)) {
    table.set(
      name,
      Array.from(marks).reduce((bits, mark) => bits | MARKS[mark as Mark], 0),
    );
  }
  return table;
}
