import { readFileSync } from 'node:fs';
import { stem } from './stem.ts';
import { createWordTable } from './word-table.ts';

/** Data about English stems by index, most common first. */
export interface Lexicon {
  size: number;
  /** Undefined for an unknown stem. */
  idOf(stem: string): number | undefined;
  stemAt(id: number): string;
  /** The rank of its most common word in running text, 1 for the most common. */
  rankAt(id: number): number;
  /** Whether an English dictionary has it; others may be names or typos. */
  isWord(id: number): boolean;
  /** Whether it is mainly a place name. */
  isPlace(id: number): boolean;
  /** Whether it is mainly an adjective. */
  isAdjective(id: number): boolean;
  /** Whether it is mainly a person or an animal. */
  isLiving(id: number): boolean;
}

/** The flags of a line of `lexicon.txt`, as bits. */
const FLAGS = { w: 1, a: 2, p: 4, l: 8 } as const;
type Flag = keyof typeof FLAGS;

let loaded: Lexicon | undefined;

/** Returns the generated data of `data/`, loaded on first use; about 6 MB. */
export function lexicon(): Lexicon {
  loaded ??= load();
  return loaded;
}

/** Returns whether an English dictionary has the word, or one with the same stem. */
export function isInDictionary(word: string): boolean {
  const id = lexicon().idOf(stem(word));
  return id !== undefined && lexicon().isWord(id);
}

/** Endings of nouns that share an adjective's stem: "flats", "publicity", "fitness". */
const NOUN_ENDING = /(?:[^su]s|ity|[st]ion|ment|ness)$/;

/** Returns whether a word is mainly an adjective. */
export function isAdjective(word: string): boolean {
  return !NOUN_ENDING.test(word) && isAdjectiveStem(stem(word));
}

/** Returns whether the most common words of a stem are mainly adjectives. */
export function isAdjectiveStem(stemmed: string): boolean {
  const id = lexicon().idOf(stemmed);
  return id !== undefined && lexicon().isAdjective(id);
}

/** Returns whether a word is mainly a person or an animal: "tailor", "kids", "dogs". */
export function isLiving(word: string): boolean {
  // Verb forms share the stem of the person: "tailored".
  if (/(?:ed|ing)$/.test(word)) return false;
  const id = lexicon().idOf(stem(word));
  return id !== undefined && lexicon().isLiving(id);
}

/** Returns whether a word is mainly a place name. */
export function isPlace(word: string): boolean {
  const id = lexicon().idOf(stem(word));
  return id !== undefined && lexicon().isPlace(id);
}

/** Reads a generated file of `data/`. */
function readData(name: string): Buffer {
  return readFileSync(new URL(`./data/${name}`, import.meta.url));
}

function load(): Lexicon {
  const text = readData('lexicon.txt').toString('latin1');
  const size = text.split('\n').length - 1;
  const table = createWordTable({ words: size, letters: text.length });
  const flags = new Uint8Array(size);
  for (const [, name = '', rank, marks = ''] of text.matchAll(/^(\S+) (\d+)(?: ([wapl]+))?$/gm)) {
    for (const mark of marks) flags[table.size] = (flags[table.size] ?? 0) | FLAGS[mark as Flag];
    table.set(name, Number(rank));
  }
  const has = (id: number, flag: Flag) => ((flags[id] ?? 0) & FLAGS[flag]) !== 0;
  return {
    size,
    idOf: table.indexOf,
    stemAt: table.wordAt,
    rankAt: table.numberAt,
    isWord: (id) => has(id, 'w'),
    isAdjective: (id) => has(id, 'a'),
    isPlace: (id) => has(id, 'p'),
    isLiving: (id) => has(id, 'l'),
  };
}
