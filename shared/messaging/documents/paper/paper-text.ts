import { plainLine } from '../../../platform/plain-line.ts';
import { canCarry, isPrintable } from './paper-fonts.ts';

const MAX_LENGTH = 200;
/** Replaces characters that no font has, such as emoji. */
const REPLACEMENT = '\ufffd';
/** Joiners and variation selectors, which can be dropped without loss. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;
const MARK = /^\p{M}/u;
/** Text that needs more than setting one letter after another, from left to right. */
const UNCOMMON =
  /[^\x20-\x7e\u200b\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Sc}\p{P}]|\p{M}/gu;

/**
 * Converts untrusted text for a document: one plain line in the characters that our fonts have, with their marks. A
 * word longer than `wordLength` may be broken, since it would overflow its column otherwise.
 */
export function paperText(text: string, wordLength = 20): string {
  const longWord = new RegExp(`\\S{${wordLength}}(?=\\S)`, 'gu');
  return lettersOf(plainLine(text, MAX_LENGTH))
    .replace(/\ufffd+/gu, REPLACEMENT)
    .replace(longWord, '$&\u200b');
}

function lettersOf(line: string): string {
  let letters = '';
  let base = '';
  for (const character of line) {
    if (MARK.test(character)) {
      if (base !== '' && canCarry(base, character)) letters += character;
    } else if (isPrintable(character)) {
      base = character;
      letters += character;
    } else if (!IGNORABLE.test(character)) {
      base = '';
      letters += REPLACEMENT;
    }
  }
  return letters;
}

/** Replaces complex characters in texts, for when the typesetting library cannot handle them. */
export function commonLetters<T>(texts: T): T {
  return JSON.parse(JSON.stringify(texts).replace(UNCOMMON, REPLACEMENT));
}
