import { plainLine } from '../../../platform/plain-line.ts';
import { isPrintable } from './paper-fonts.ts';

const MAX_LENGTH = 200;
/** Stands for what no font has, such as emoji. */
const REPLACEMENT = '\ufffd';
/** Joins and variants of the letters beside it; nothing is missing without. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;

/**
 * Text of a document, whoever wrote it: a plain line in letters that we have. A word longer than `wordLength` may be
 * broken, since it would leave its column otherwise.
 */
export function paperText(text: string, wordLength = 20): string {
  const letters = [...plainLine(text, MAX_LENGTH)].map((character) => {
    if (isPrintable(character)) return character;
    return IGNORABLE.test(character) ? '' : REPLACEMENT;
  });
  const longWord = new RegExp(`\\S{${wordLength}}(?=\\S)`, 'gu');
  return letters
    .join('')
    .replace(/\ufffd+/gu, REPLACEMENT)
    .replace(longWord, '$&\u200b');
}
