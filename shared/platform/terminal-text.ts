/**
 * What steers a terminal (C0, DEL, C1 and with them every escape sequence) or turns the order in which a
 * line is read (Unicode's Bidi_Control), and the line ends beside CR and LF.
 */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const WHITE = /[\t\n\v\f\r\u0085\u2028\u2029]/;
/** Like {@link UNPRINTABLE}, without the characters that JSON already escapes. */
const UNPRINTABLE_IN_JSON = /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Text that people wrote, fit for one line of a terminal: white space is a space, and nothing in it can move
 * the cursor, change what stands there already, or show a name in another order than it has.
 */
export function sanitizeForTerminal(text: string): string {
  return text.replace(UNPRINTABLE, (character) => (WHITE.test(character) ? ' ' : ''));
}

/** Like {@link sanitizeForTerminal}, for multi-line text: keeps line ends. */
export function terminalLines(text: string): string {
  return text.split('\n').map(sanitizeForTerminal).join('\n');
}

/** What a reader can't see, and halves of surrogate pairs, which are no text at all. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\ufeff]/gu;
const NAMED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The start of a text, with what can't be seen in it written out: a tab as `\t`, an escape as `\u001b`. */
export function visibleExcerpt(text: string, maxCharacters: number): string {
  const start = Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('');
  const seen = start.replace(UNSEEN, (character) => NAMED[character] ?? escaped(character));
  return start.length < text.length ? `${seen}…` : seen;
}

/** Returns equivalent JSON that contains no terminal control characters. */
export function terminalJson(json: string): string {
  return json.replace(UNPRINTABLE_IN_JSON, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
