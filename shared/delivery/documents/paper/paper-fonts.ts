import { readFileSync } from 'node:fs';

interface PaperFont {
  family: string;
  /** Ranges of code points in hexadecimal: `20-7e a9`. */
  characters: string;
}

const fonts: readonly PaperFont[] = JSON.parse(
  readFileSync(new URL('./fonts/fonts.json', import.meta.url), 'utf8'),
);

/** The families of documents; each character is set in the first one that has it. */
export const FONT_FAMILIES: readonly string[] = fonts.map(({ family }) => family);

let printable: ReadonlySet<number> | undefined;

/** Whether a font has this character. */
export function isPrintable(character: string): boolean {
  printable ??= new Set(
    fonts.flatMap(({ characters }) => characters.split(' ').flatMap(codePoints)),
  );
  return printable.has(character.codePointAt(0) ?? 0);
}

function codePoints(range: string): number[] {
  const [first = 0, last = first] = range.split('-').map((hex) => Number.parseInt(hex, 16));
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
