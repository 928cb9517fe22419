import { readFileSync, writeFileSync } from 'node:fs';

const [BEGIN, END] = ['<!-- figures: begin -->', '<!-- figures: end -->'];

/**
 * Writes a document's table of figures anew: `heading`, then for each of `keys` its fresh rows, or those that
 * stand there. A row is of the key that it begins with.
 */
export function writeTable(
  document: URL,
  heading: readonly string[],
  keys: readonly string[],
  fresh: ReadonlyMap<string, readonly string[]>,
): void {
  const text = readFileSync(document, 'utf8');
  const standing = text.slice(...placeIn(text)).split('\n');
  const rows = keys.flatMap(
    (key) => fresh.get(key) ?? standing.filter((line) => line.startsWith(`| ${key}`)),
  );
  writeFileSync(document, withTable(text, [...heading, ...rows]));
}

/** The text with these lines where its table of figures was. */
export function withTable(text: string, lines: readonly string[]): string {
  const [begin, end] = placeIn(text);
  return text.slice(0, begin) + [BEGIN, ...lines, ''].join('\n') + text.slice(end);
}

function placeIn(text: string): [begin: number, end: number] {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`There is no place for figures: ${BEGIN}`);
  return [begin, end];
}
