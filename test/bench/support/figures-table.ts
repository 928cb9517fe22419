const [BEGIN, END] = ['<!-- figures: begin -->', '<!-- figures: end -->'];

/**
 * The text of a document with these lines where its table of figures was.
 * @throws Error when it has no place for figures
 */
export function withTable(text: string, lines: readonly string[]): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`There is no place for figures: ${BEGIN}`);
  return text.slice(0, begin) + [BEGIN, ...lines, ''].join('\n') + text.slice(end);
}
