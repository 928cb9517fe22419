import { plainLine } from '../../../platform/plain-line.ts';
import { canCarry, isPrintable } from './paper-fonts.ts';

const MAX_LENGTH = 200;
/** Stands for what no font has, such as emoji. */
const REPLACEMENT = '\ufffd';
/** Joins and variants of the letters beside it; nothing is missing without. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;
const MARK = /^\p{M}/u;
/** Whatever takes more to typeset than one letter after the other, from left to right. */
const UNCOMMON =
  /[^\x20-\x7e\u200b\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Sc}\p{P}]|\p{M}/gu;

/**
 * Text of a document, whoever wrote it: a plain line in letters that we have, with the marks that belong to them. A
 * word longer than `wordLength` may be broken, since it would leave its column otherwise.
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

/** The same texts in the letters that any typesetter can set, where the others are too much for ours. */
export function commonLetters<T>(texts: T): T {
  return JSON.parse(JSON.stringify(texts).replace(UNCOMMON, REPLACEMENT));
}
