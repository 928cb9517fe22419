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
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${document.pathname} has no place for figures`);
  const standing = text.slice(begin, end).split('\n');
  const rows = keys.flatMap(
    (key) => fresh.get(key) ?? standing.filter((line) => line.startsWith(`| ${key}`)),
  );
  const table = [BEGIN, ...heading, ...rows, ''].join('\n');
  writeFileSync(document, text.slice(0, begin) + table + text.slice(end));
}
