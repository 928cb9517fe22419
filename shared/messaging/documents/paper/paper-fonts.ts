import { readFileSync } from 'node:fs';

interface PaperFont {
  family: string;
  /** Ranges of code points in hexadecimal: `20-7e a9`. */
  characters: string;
}

const fonts: readonly PaperFont[] = JSON.parse(
  readFileSync(new URL('./fonts/fonts.json', import.meta.url), 'utf8'),
);

/** The font families of documents; each character uses the first family that has it. */
export const FONT_FAMILIES: readonly string[] = fonts.map(({ family }) => family);

let coverage: readonly ReadonlySet<number>[] | undefined;

/** Returns the fonts that have this character, starting with the one that sets it; empty if none has it. */
function fontsWith(character: string): readonly ReadonlySet<number>[] {
  coverage ??= fonts.map(({ characters }) => new Set(characters.split(' ').flatMap(codePoints)));
  const codePoint = character.codePointAt(0) ?? 0;
  return coverage.filter((characters) => characters.has(codePoint));
}

/** Returns whether a font has this character. */
export function isPrintable(character: string): boolean {
  return fontsWith(character).length > 0;
}

/** Returns whether the font that sets `letter` also has `mark`: a mark from another font would be misplaced. */
export function canCarry(letter: string, mark: string): boolean {
  return fontsWith(letter)[0]?.has(mark.codePointAt(0) ?? 0) ?? false;
}

function codePoints(range: string): number[] {
  const [first = 0, last = first] = range.split('-').map((hex) => Number.parseInt(hex, 16));
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
