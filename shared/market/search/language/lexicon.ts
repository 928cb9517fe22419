import { readFileSync } from 'node:fs';
import { stem } from './stem.ts';
import { createWordTable } from './word-table.ts';

/** What is known of the stems of English, by number; the commonest come first. */
export interface Lexicon {
  size: number;
  /** Undefined for a stem that is not in it. */
  idOf(stem: string): number | undefined;
  stemAt(id: number): string;
  /** The place of its commonest word among all words of running text, 1 for the commonest. */
  rankAt(id: number): number;
  /** Whether a dictionary of English has it; the others may be names, or slips. */
  isWord(id: number): boolean;
  /** Whether it is mostly the name of a place. */
  isPlace(id: number): boolean;
  /** Whether it mostly says how something is, not what it is. */
  isAdjective(id: number): boolean;
  /** Whether it is mostly somebody, or an animal. */
  isLiving(id: number): boolean;
}

/** The marks of a line of `lexicon.txt`, as bits. */
const FLAGS = { w: 1, a: 2, p: 4, l: 8 } as const;
type Flag = keyof typeof FLAGS;

let loaded: Lexicon | undefined;

/** The generated data of `data/`, read once, when first needed; some 6 MB. */
export function lexicon(): Lexicon {
  loaded ??= load();
  return loaded;
}

/** Whether a dictionary of English has the word, or one of the same stem. */
export function isInDictionary(word: string): boolean {
  const id = lexicon().idOf(stem(word));
  return id !== undefined && lexicon().isWord(id);
}

/** How a noun ends that shares the stem of an adjective: "flats", "publicity", "fitness". */
const NOUN_ENDING = /(?:[^su]s|ity|[st]ion|ment|ness)$/;

/** Whether a word mostly says how something is, not what it is. */
export function isAdjective(word: string): boolean {
  return !NOUN_ENDING.test(word) && isAdjectiveStem(stem(word));
}

/** Whether the commonest words of a stem mostly say how something is. */
export function isAdjectiveStem(stemmed: string): boolean {
  const id = lexicon().idOf(stemmed);
  return id !== undefined && lexicon().isAdjective(id);
}

/** Whether a word is mostly somebody, or an animal: "tailor", "kids", "dogs". */
export function isLiving(word: string): boolean {
  // It shares the stem of who does it: "tailored".
  if (/(?:ed|ing)$/.test(word)) return false;
  const id = lexicon().idOf(stem(word));
  return id !== undefined && lexicon().isLiving(id);
}

/** Whether a word is mostly the name of a place. */
export function isPlace(word: string): boolean {
  const id = lexicon().idOf(stem(word));
  return id !== undefined && lexicon().isPlace(id);
}

/** A generated file of `data/`. */
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
