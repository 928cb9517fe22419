/** A Markdown table without padding, for nobody edits it by hand; a bar inside a cell is escaped. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `|${cells.map(escapeBars).join('|')}|`;
  return [columns, columns.map(() => '---'), ...rows].map(line).join('\n');
}

/** Text as code. */
export const code = (text: string) => `\`${text}\``;

/** Words as code, comma-separated. */
export const codes = (words: readonly string[]) => words.map(code).join(', ');

/** A path of a route table as the documentation writes it: `:name` is `{name}`. */
export const pathText = (path: string) => code(path.replace(/:(\w+)/g, '{$1}'));

const escapeBars = (cell: string) => cell.replaceAll('|', '\\|');
