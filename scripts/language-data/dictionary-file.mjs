import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { plainSpelling } from '../../shared/market/search/language/romanize.ts';
import { foldText } from '../../shared/market/search/language/text-analysis.ts';
import { isEnglish } from './english.mjs';

const MOST_TRANSLATIONS = 3;
const LONGEST_KEY = 30;

/** Collects the lines of a dictionary. */
export class DictionaryBuilder {
  #entries = new Map();

  /** Appends translations of a word; `mark` tells whether they are certain (":") or a guess ("?"). */
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

  /** Adds how a word in another script is written in Latin letters; the first one added counts. */
  addReading(language, word, reading) {
    this.#entry(foldText(word)).reading ??= `${language}=${reading}`;
  }

  /** Adds the character that another one stands for. */
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

  /** Writes the lines in byte order, so that a binary search can find a word directly in the file. */
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
    // gzip's OS byte: the output must not depend on the operating system.
    packed[9] = 255;
    writeFileSync(file, packed);
    return { words: lines.length, bytes: Buffer.byteLength(text), packed: packed.length };
  }
}
