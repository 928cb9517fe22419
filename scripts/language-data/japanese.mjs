import { readFileSync } from 'node:fs';
import { usefulEnglish } from './english.mjs';
import { romanize } from './romanize.ts';
import { debianFile } from './sources.mjs';

const LONGEST = 8;
const RARE = /\((?:arch|obs|vulg|sl|X|derog|obsc|ik|iK|oK|ok)\)/;

/** Returns EDICT's common words: `{ word, english, reading }`. Words with kanji have a reading, in Latin letters. */
export function readJapanese() {
  const file = debianFile('edict', 'usr/share/edict/edict');
  const lines = new TextDecoder('euc-jp').decode(readFileSync(file)).split('\n');
  const words = [];
  for (const line of lines) {
    const [, word, kana, glosses] = /^(\S+)(?: \[(.+?)\])? \/(.*)\/\(P\)\//.exec(line) ?? [];
    if (glosses === undefined || word.length > LONGEST) continue;
    const english = glosses
      .split('/')
      .filter((gloss) => !RARE.test(gloss))
      .map(usefulEnglish)
      .filter((each) => each !== undefined);
    if (english.length === 0) continue;
    const reading = kana && /\p{sc=Han}/u.test(word) ? romanize(kana) : undefined;
    words.push({ word, english, reading });
  }
  return words;
}
