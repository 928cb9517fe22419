import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { memoize } from '../memoize.ts';

/** The languages, other than English, whose words search understands. */
export const LANGUAGES = [
  'ar',
  'de',
  'es',
  'fr',
  'hi',
  'it',
  'ja',
  'nl',
  'pt',
  'ru',
  'zh',
] as const;
export type Language = (typeof LANGUAGES)[number];
/** Those that are written in other letters than English, and typed in Latin ones, too. */
export const OTHER_SCRIPTS: ReadonlySet<Language> = new Set(['ar', 'hi', 'ja', 'ru', 'zh']);

/** What the dictionaries know of a folded word. */
export interface DictionaryEntry {
  /** It is a common word of English as well. */
  english: boolean;
  /** English for it by language, likeliest first. */
  meanings: ReadonlyMap<Language, readonly string[]>;
  /** Languages whose translation is only what the word is spoken of with. */
  guesses: ReadonlySet<Language>;
  /** How it is written in Latin letters, where its signs one by one do not tell. */
  readings: ReadonlyMap<Language, string>;
  /** The sign that is written for it today, of traditional Chinese ones. */
  variant: string | null;
}

/** The files of `data/` that have words of a script; `data/NOTICE.md` tells where they are from. */
const FILES = {
  alphabetic: ['wikdict', 'kinds', 'trades', 'pinyin', 'romaji'],
  ideographic: ['cc-cedict', 'edict', 'kinds', 'trades'],
};
const TAB = 9;
const LINE_END = 10;

const loaded = new Map<string, Buffer>();

/** Lines in the order of their bytes, read at their first use (some 20 ms a file) and kept as they are: 8 MB together. */
function linesOf(file: string): Buffer {
  let lines = loaded.get(file);
  if (!lines) {
    lines = gunzipSync(readFileSync(new URL(`./data/${file}.tsv.gz`, import.meta.url)));
    loaded.set(file, lines);
  }
  return lines;
}

/** Everything that is known of a folded word or short phrase; undefined for one in no dictionary. Takes some 3 microseconds. */
export const findEntry = memoize(readEntry, 5_000);

function readEntry(word: string): DictionaryEntry | undefined {
  const key = Buffer.from(word);
  let entry: DictionaryEntry | undefined;
  for (const file of filesFor(word)) {
    const lines = linesOf(file);
    const at = placeOf(lines, key);
    if (lines[at + key.length] !== TAB || compareAt(lines, at, key) !== 0) continue;
    entry = merge(entry, fieldsAt(lines, at + key.length + 1));
  }
  return entry;
}

/** Whether any word of a dictionary begins so. */
export function beginsEntry(beginning: string): boolean {
  const key = Buffer.from(beginning);
  return filesFor(beginning).some((file) => {
    const lines = linesOf(file);
    return compareAt(lines, placeOf(lines, key), key) === 0;
  });
}

function filesFor(word: string): readonly string[] {
  // All alphabets come before the signs of Chinese and Japanese.
  return (word.codePointAt(0) ?? 0) < 0x2e80 ? FILES.alphabetic : FILES.ideographic;
}

/** Where the first line begins whose word is not before `key`. */
function placeOf(lines: Buffer, key: Buffer): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = middle === 0 ? 0 : lines.lastIndexOf(LINE_END, middle - 1) + 1;
    if (compareAt(lines, start, key) < 0) low = lines.indexOf(LINE_END, middle) + 1 || lines.length;
    else high = start;
  }
  return low;
}

/** Below 0 where the line that begins there comes before `key`, 0 where it begins with it. */
function compareAt(lines: Buffer, start: number, key: Buffer): number {
  return lines.compare(key, 0, key.length, start, Math.min(start + key.length, lines.length));
}

function fieldsAt(lines: Buffer, start: number): string[] {
  return lines.toString('utf8', start, lines.indexOf(LINE_END, start)).split('\t');
}

/** Adds a line's fields, as `scripts/language-data/dictionary-file.mjs` writes them. */
function merge(entry: DictionaryEntry | undefined, fields: readonly string[]): DictionaryEntry {
  const meanings = new Map(entry?.meanings);
  const guesses = new Set(entry?.guesses);
  const readings = new Map(entry?.readings);
  let { english, variant } = entry ?? { english: false, variant: null };
  for (const field of fields) {
    if (field === '!') english = true;
    else if (field[0] === '>') variant = field.slice(1);
    else if (field !== '') {
      const language = field.slice(0, 2) as Language;
      if (field[2] === '=') {
        readings.set(language, field.slice(3));
        continue;
      }
      const known = meanings.get(language);
      if (field[2] === '?') {
        if (known) continue;
        guesses.add(language);
      } else guesses.delete(language);
      meanings.set(language, [...new Set([...(known ?? []), ...field.slice(3).split('|')])]);
    }
  }
  return { english, meanings, guesses, readings, variant };
}
