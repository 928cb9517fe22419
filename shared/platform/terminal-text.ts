/**
 * Characters that control a terminal (C0, DEL, C1, and so every escape sequence), change the reading order of a line
 * (Unicode's Bidi_Control), or end a line besides CR and LF.
 */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const WHITE = /[\t\n\v\f\r\u0085\u2028\u2029]/;
/** Like {@link UNPRINTABLE}, without the characters that JSON already escapes. */
const UNPRINTABLE_IN_JSON = /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Makes user-written text safe for one line of a terminal: white space becomes a space, and nothing in it can move the
 * cursor, overwrite other output, or show a name in a different order.
 */
export function sanitizeForTerminal(text: string): string {
  return text.replace(UNPRINTABLE, (character) => (WHITE.test(character) ? ' ' : ''));
}

/** Like {@link sanitizeForTerminal}, for multi-line text: keeps line ends. */
export function terminalLines(text: string): string {
  return text.split('\n').map(sanitizeForTerminal).join('\n');
}

/** Invisible characters, and lone surrogates, which are not valid text. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\ufeff]/gu;
const NAMED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns the start of a text with invisible characters written out: a tab as `\t`, an escape as `\u001b`. */
export function visibleExcerpt(text: string, maxCharacters: number): string {
  const start = Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('');
  const seen = start.replace(UNSEEN, (character) => NAMED[character] ?? escaped(character));
  return start.length < text.length ? `${seen}…` : seen;
}

/** Returns equivalent JSON with terminal control, Bidi and line separator characters escaped. */
export function terminalJson(json: string): string {
  return json.replace(UNPRINTABLE_IN_JSON, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
