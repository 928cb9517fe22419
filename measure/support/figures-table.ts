/**
 * The text of a document with these lines where its table of this name was.
 * @throws Error when it has no place for the table
 */
export function withTable(text: string, lines: readonly string[], name = 'figures'): string {
  const [beginMark, endMark] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [begin, end] = [text.indexOf(beginMark), text.indexOf(endMark)];
  if (begin < 0 || end < begin) throw new Error(`There is no place for ${name}: ${beginMark}`);
  return text.slice(0, begin) + [beginMark, ...lines, ''].join('\n') + text.slice(end);
}
