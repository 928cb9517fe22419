import { isPublicSuffix, parseTld } from '../../names/domain-name.ts';

/** A piece of a query. `text.slice(start, end)` is how it was typed. */
export interface QueryToken {
  kind: 'word' | 'number' | 'suffix' | 'domain' | 'sign';
  /** As typed. */
  text: string;
  /** Lowercase, without width variants and apostrophes. For a suffix, its A-labels. */
  word: string;
  start: number;
  end: number;
  /** There is nothing between it and the previous token. */
  glued: boolean;
  /** A single hyphen joins it to the previous token: `letter` in `4-letter`. */
  hyphenated: boolean;
  /** The value of a number. */
  value: number;
  /** Whether a number has a factor, such as `2k`. */
  scaled: boolean;
}

/** Units that may follow a number without a space: `500usd`, `4letters`. */
const GLUED_UNITS = 'usd|eur|gbp|euros?|dollars?|bucks?|pounds?|letters?|chars?|characters?';
const NUMBER = new RegExp(
  `(\\d{1,3}(?:[,.'’]\\d{3})+(?!\\d)(?:[.,]\\d{1,2}(?!\\d))?|\\d+(?:[.,]\\d+)?)(k|m|mio)?` +
    `(?:(?![\\p{L}\\p{N}])|(?=(?:${GLUED_UNITS})(?![\\p{L}\\p{N}])))`,
  'iuy',
);
const SPACE = /\s+/uy;
const ADDRESS = /[a-z]{1,10}:\/\/\S+/iuy;
/** `.io`, `.co.uk`. Parts are at most as long as a label, so that matching takes linear time. */
const DOTTED = /\.\p{L}[\p{L}\p{N}\p{M}-]{0,62}(?:\.[\p{L}\p{N}][\p{L}\p{N}\p{M}-]{0,62}){0,3}/uy;
const HOST =
  /[\p{L}\p{N}][\p{L}\p{N}\p{M}-]{0,62}(?:\.[\p{L}\p{N}][\p{L}\p{N}\p{M}-]{0,62}){1,4}(?![\p{L}\p{N}])/uy;
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/uy;
const SIGN = /./suy;
const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u;

/** Splits a text into tokens for all recognizers. Accepts any text. */
export function tokenizeQuery(typed: string): QueryToken[] {
  // Treat full-width forms as the characters they look like. Positions do not change.
  const text = typed.replace(/[\uff01-\uff5e]/g, (wide) =>
    String.fromCharCode(wide.charCodeAt(0) - 0xfee0),
  );
  const tokens: QueryToken[] = [];
  let at = 0;
  while (at < text.length) {
    at += matchAt(SPACE, text, at)?.[0].length ?? 0;
    if (at >= text.length) break;
    const token = tokenAt(text, at);
    const before = tokens.at(-1);
    token.glued = before !== undefined && before.end === token.start;
    // A hyphen between two words or numbers joins them and is not a token.
    const first = tokens.at(-2);
    if (
      before?.text === '-' &&
      token.kind !== 'sign' &&
      first !== undefined &&
      first.kind !== 'sign' &&
      token.glued &&
      before.glued
    ) {
      tokens.pop();
      token.hyphenated = true;
    }
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function tokenAt(text: string, start: number): QueryToken {
  const before = start === 0 ? '' : text[start - 1];
  const token = (kind: QueryToken['kind'], typed: string, word = fold(typed)): QueryToken => ({
    kind,
    text: typed,
    word,
    start,
    end: start + typed.length,
    glued: false,
    hyphenated: false,
    value: 0,
    scaled: false,
  });

  const address = matchAt(ADDRESS, text, start);
  if (address) return token('domain', address[0]);
  if (text[start] === '.' && before !== '.' && !(before && LETTER_OR_DIGIT.test(before))) {
    const [dotted] = matchAt(DOTTED, text, start) ?? [];
    const suffix = dotted === undefined ? undefined : asSuffix(dotted);
    if (dotted !== undefined && suffix !== undefined) return token('suffix', dotted, suffix);
  }
  const number = matchAt(NUMBER, text, start);
  if (number) {
    const [typed, digits = '', scale] = number;
    const factor = scale === undefined ? 1 : scale.toLowerCase() === 'k' ? 1_000 : 1_000_000;
    return {
      ...token('number', typed),
      value: readNumber(digits) * factor,
      scaled: factor > 1,
    };
  }
  const [host] = matchAt(HOST, text, start) ?? [];
  if (host !== undefined) {
    const suffix = asSuffix(host);
    return suffix === undefined ? token('domain', host) : token('suffix', host, suffix);
  }
  const word = matchAt(WORD, text, start);
  if (word) return token('word', word[0]);
  return token('sign', matchAt(SIGN, text, start)?.[0] ?? text.slice(start));
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/['’]/g, '');
}

/** Returns the public suffix (A-labels) of a text, with or without its dot. */
export function asSuffix(text: string): string | undefined {
  const suffix = parseTld(text);
  return suffix !== undefined && isPublicSuffix(suffix) ? suffix : undefined;
}

/** `1,500`, `1.500` and `1'500` are 1500; `1.5` and `1,5` are one and a half. */
function readNumber(digits: string): number {
  const [whole = '', fraction = ''] = /^\d{1,3}([,.'’]\d{3})+/.test(digits)
    ? [digits.match(/^\d{1,3}(?:[,.'’]\d{3})+/)?.[0], digits.match(/[.,](\d{1,2})$/)?.[1]]
    : digits.split(/[.,]/);
  return Number(`${whole.replace(/\D/g, '')}.${fraction}0`);
}
