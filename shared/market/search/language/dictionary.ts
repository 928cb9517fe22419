import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { memoize } from '../memoize.ts';

/** The languages other than English that search understands. */
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
/** Languages with a non-Latin script, which people also type in Latin letters. */
export const OTHER_SCRIPTS: ReadonlySet<Language> = new Set(['ar', 'hi', 'ja', 'ru', 'zh']);

/** What the dictionaries say about a folded word. */
export interface DictionaryEntry {
  /** Whether it is also a common English word. */
  english: boolean;
  /** English meanings by language, likeliest first. */
  meanings: ReadonlyMap<Language, readonly string[]>;
  /** Languages whose translation is only a related word. */
  guesses: ReadonlySet<Language>;
  /** Its spellings in Latin letters, where its signs alone do not tell. */
  readings: readonly string[];
  /** The simplified form of a traditional Chinese character. */
  variant: string | null;
}

/** The files of `data/` with words of each kind of script; `data/NOTICE.md` lists their sources. */
const FILES = {
  alphabetic: ['wikdict', 'kinds', 'trades', 'pinyin', 'romaji'],
  ideographic: ['cc-cedict', 'edict', 'kinds', 'trades'],
};
const TAB = 9;
const LINE_END = 10;

const loaded = new Map<string, Buffer>();

/** Returns a file's lines, sorted by bytes. Loaded on first use (about 20 ms per file) and kept raw: 8 MB in total. */
function linesOf(file: string): Buffer {
  let lines = loaded.get(file);
  if (!lines) {
    lines = gunzipSync(readFileSync(new URL(`./data/${file}.tsv.gz`, import.meta.url)));
    loaded.set(file, lines);
  }
  return lines;
}

/** Returns all data about a folded word or short phrase, if a dictionary has it. Takes about 3 microseconds. */
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

/** Returns whether any dictionary word has this prefix. */
export function beginsEntry(beginning: string): boolean {
  const key = Buffer.from(beginning);
  return filesFor(beginning).some((file) => {
    const lines = linesOf(file);
    return compareAt(lines, placeOf(lines, key), key) === 0;
  });
}

function filesFor(word: string): readonly string[] {
  // All alphabets precede Chinese and Japanese characters.
  return (word.codePointAt(0) ?? 0) < 0x2e80 ? FILES.alphabetic : FILES.ideographic;
}

/** Returns the start of the first line whose word is not before `key`. */
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

/** Compares a line's start with `key`: below 0 if the line comes first, 0 if it starts with `key`. */
function compareAt(lines: Buffer, start: number, key: Buffer): number {
  return lines.compare(key, 0, key.length, start, Math.min(start + key.length, lines.length));
}

function fieldsAt(lines: Buffer, start: number): string[] {
  return lines.toString('utf8', start, lines.indexOf(LINE_END, start)).split('\t');
}

/** Adds a line's fields, in the format of `scripts/language-data/dictionary-file.mjs`. */
function merge(entry: DictionaryEntry | undefined, fields: readonly string[]): DictionaryEntry {
  const meanings = new Map(entry?.meanings);
  const guesses = new Set(entry?.guesses);
  const readings = [...(entry?.readings ?? [])];
  let { english, variant } = entry ?? { english: false, variant: null };
  for (const field of fields) {
    if (field === '!') english = true;
    else if (field[0] === '>') variant = field.slice(1);
    else if (field !== '') {
      const language = field.slice(0, 2) as Language;
      if (field[2] === '=') {
        readings.push(field.slice(3));
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
