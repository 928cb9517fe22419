/** Returns a Markdown table. Doesn't pad columns, since nobody edits it by hand. Escapes bars inside cells. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `|${cells.map(escapeBars).join('|')}|`;
  return [columns, columns.map(() => '---'), ...rows].map(line).join('\n');
}

/** Formats text as code. */
export const code = (text: string) => `\`${text}\``;

/** Formats words as code, comma-separated. */
export const codes = (words: readonly string[]) => words.map(code).join(', ');

/** Formats a route's path for the documentation: `:name` becomes `{name}`. */
export const pathText = (path: string) => code(path.replace(/:(\w+)/g, '{$1}'));

const escapeBars = (cell: string) => cell.replaceAll('|', '\\|');
