import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { plainSpelling } from '../../shared/market/search/language/romanize.ts';
import { foldText } from '../../shared/market/search/language/text-analysis.ts';
import { isEnglish } from './english.mjs';

const MOST_TRANSLATIONS = 3;
const LONGEST_KEY = 30;

/** The lines of a dictionary while it is made. */
export class DictionaryBuilder {
  #entries = new Map();

  /** Adds translations of a word; `mark` tells apart what they are (":" or "?"). Later ones come behind. */
  add(language, word, english, mark = ':') {
    const key = plainSpelling(foldText(word), language);
    const wanted = english.filter((each) => each !== key);
    if (!/\p{L}/u.test(key) || key.length > LONGEST_KEY || key.split(' ').length > 3) return;
    if (wanted.length === 0) return;
    const entry = this.#entry(key);
    const field = `${language}${mark}`;
    const all = new Set([...(entry.fields.get(field) ?? []), ...wanted]);
    entry.fields.set(field, [...all].slice(0, MOST_TRANSLATIONS));
  }

  /** How a word in another script is written in Latin letters; the first of several. */
  addReading(language, word, reading) {
    this.#entry(foldText(word)).reading ??= `${language}=${reading}`;
  }

  /** The character that stands for another one. */
  addVariant(sign, other) {
    this.#entry(sign).variant = other;
  }

  #entry(key) {
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = { fields: new Map() };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  has(language, word) {
    return this.#entries.get(foldText(word))?.fields.has(`${language}:`) ?? false;
  }

  /** Writes the lines in the order of their bytes, so that a binary search finds a word in the file as it is. */
  write(file) {
    const lines = [...this.#entries].map(([key, { fields, reading, variant }]) => {
      const parts = [...fields].map(([field, english]) => `${field}${english.join('|')}`);
      if (isEnglish(key)) parts.unshift('!');
      if (reading) parts.push(reading);
      if (variant) parts.push(`>${variant}`);
      return { key: Buffer.from(key), text: `${key}\t${parts.join('\t')}\n` };
    });
    lines.sort((a, b) => Buffer.compare(a.key, b.key));
    const text = lines.map((line) => line.text).join('');
    const packed = gzipSync(text, { level: 9 });
    // The operating system that packed it is no part of the data.
    packed[9] = 255;
    writeFileSync(file, packed);
    return { words: lines.length, bytes: Buffer.byteLength(text), packed: packed.length };
  }
}
