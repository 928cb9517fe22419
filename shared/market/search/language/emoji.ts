import { readFileSync } from 'node:fs';

/** An emoji in a query: as typed, and its meanings, most important first. */
export interface EmojiMeaning {
  asked: string;
  keywords: readonly string[];
}

const EMOJI =
  /\p{RI}\p{RI}|\p{Extended_Pictographic}[\ufe0e\ufe0f\u{1F3FB}-\u{1F3FF}]*(?:\u200d\p{Extended_Pictographic}[\ufe0e\ufe0f\u{1F3FB}-\u{1F3FF}]*)*/gu;
/** Skin tones and variation selectors, which only change the look. */
const LOOKS = /[\ufe0e\ufe0f\u{1F3FB}-\u{1F3FF}]|\u200d[♀♂]/gu;
const FIRST_REGIONAL = 0x1f1e6;

let loaded: ReadonlyMap<string, readonly string[]> | undefined;

/** Returns the emoji of a text, in order, without those of unknown meaning. */
export function emojiIn(text: string): EmojiMeaning[] {
  const found: EmojiMeaning[] = [];
  for (const [asked] of text.matchAll(EMOJI)) {
    const keywords = keywordsOf(asked.replace(LOOKS, ''));
    if (keywords.length > 0 && !found.some((other) => other.asked === asked)) {
      found.push({ asked, keywords });
    }
  }
  return found;
}

function keywordsOf(emoji: string): readonly string[] {
  if (/^\p{RI}/u.test(emoji)) return countryOf(emoji);
  loaded ??= load();
  // The first part of a joined emoji tells what it is.
  return loaded.get(emoji) ?? loaded.get(emoji.split('\u200d')[0] ?? '') ?? [];
}

/** Decodes a flag: one regional indicator per letter of the country code. */
function countryOf(flag: string): readonly string[] {
  const code = Array.from(flag, (sign) =>
    String.fromCharCode(65 + (sign.codePointAt(0) ?? 0) - FIRST_REGIONAL),
  ).join('');
  const name = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code);
  return name === undefined ? [] : [name.toLowerCase()];
}

/** Loads what people mean by an emoji in a search or, for the others, what it shows. */
function load(): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ...readMeanings('./data/emoji.tsv', '|'),
    ...readMeanings('./emoji-meanings.txt', ', '),
  ]);
}

function readMeanings(file: string, separator: string): [string, string[]][] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '' && !/^#(?: |$)/.test(line))
    .map((line) => {
      const [emoji = '', meanings = ''] = line.split('\t');
      return [emoji, meanings.split(separator)];
    });
}
