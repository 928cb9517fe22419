import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the repository's Markdown pages, relative to its top. */
export function markdownPages(): string[] {
  return [
    ...pagesIn('', { deep: false }),
    ...['deploy/', 'docs/', 'sdk/'].flatMap((folder) => pagesIn(folder)),
  ];
}

function pagesIn(folder: string, { deep = true } = {}): string[] {
  return readdirSync(ROOT + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (entry.isFile()) return path.endsWith('.md') ? [path] : [];
    return deep && !['dist', 'node_modules'].includes(entry.name) ? pagesIn(`${path}/`) : [];
  });
}

/** The part of a Markdown page below one `##` heading. */
export interface Section {
  title: string;
  text: string;
}

export function sectionsOf(markdown: string): Section[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { title: part.slice(0, end).trim(), text: part.slice(end + 1) };
    });
}

/** Returns the anchors that headings get where the pages are published. */
export function headingAnchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

/** Returns the contents of the fenced code blocks, in order. */
export function codeBlocksOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```\w*\n([\s\S]*?)\n```$/gm)].map(([, text = '']) => text);
}

/** Returns the rows of all tables, by column name; `\|` is a literal bar. */
export function tableOf(markdown: string): Record<string, string>[] {
  const rows: Record<string, string>[] = [];
  let columns: string[] | undefined;
  for (const line of markdown.split('\n')) {
    const cells = cellsOf(line);
    if (!cells) columns = undefined;
    else if (!columns) columns = cells;
    else if (!cells.every((cell) => /^:?-+:?$/.test(cell))) {
      const names = columns;
      rows.push(Object.fromEntries(cells.map((cell, at) => [names[at] ?? '', cell])));
    }
  }
  return rows;
}

function cellsOf(line: string): string[] | undefined {
  if (!line.startsWith('|')) return undefined;
  const inner = line.trim().replace(/^\||\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
