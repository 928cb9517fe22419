/** Control characters and line ends, which can break a header or control the reader's program. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
/** Invisible characters, and characters that change the reading order of a line. */
const INVISIBLE = /[\p{Bidi_Control}\u00ad\u180e\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu;
/** Stacks of combining marks, which would cover the lines above and below. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;

/** The maximum length; no name is longer. */
const MAX_LENGTH = 300;

/**
 * Makes untrusted text safe for one line: replaces line ends and control characters with spaces, removes invisible
 * characters and those that change the reading order, and cuts the text at `max` characters.
 */
export function plainLine(text: string, max = MAX_LENGTH): string {
  const clean = text
    .normalize('NFC')
    .replace(CONTROLS, ' ')
    .replace(INVISIBLE, '')
    .replace(PILED_MARKS, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...clean];
  return characters.length <= max ? clean : `${characters.slice(0, max - 1).join('')}…`;
}
