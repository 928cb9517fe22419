import type { TObject, TProperties } from 'typebox';
import { terminalLines } from '../../shared/platform/terminal-text.ts';
import { acceptNames } from './accept.ts';
import type { Reply } from './reply.ts';

/** Returns whether the caller asked for CSV (RFC 4180) rather than JSON. */
export function wantsCsv(accept: string): boolean {
  return acceptNames(accept, 'text/csv');
}

export type CsvCell = string | number | null;

/**
 * Returns one CSV record. Text is quoted, because a spreadsheet that separates lists by `;` would split an unquoted
 * cell and run its second part. Text that a spreadsheet would run as a formula gets a leading apostrophe, even if its
 * sign is full-width or follows white space; control and bidi characters are removed.
 */
export function csvRecord(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const plain = terminalLines(cell.replace(/\r\n?/g, '\n'));
  const text = /^\s*[=+\-@＝＋－＠]/.test(plain) ? `'${plain}` : plain;
  return `"${text.replaceAll('"', '""')}"`;
}

/** Returns a list as a CSV response whose columns are the fields of a schema. */
export function csvReply<Row, Fields extends TProperties>(
  pages: AsyncIterable<readonly Row[]>,
  { properties }: TObject<Fields>,
  view: (row: Row) => Readonly<Record<keyof Fields, CsvCell>>,
): Reply {
  const chunks = csvOf(pages, Object.keys(properties), view);
  return { status: 200, stream: { contentType: 'text/csv', chunks } };
}

/** Yields rows as CSV under a header, one page at a time, so that memory does not grow with the length of the list. */
export async function* csvOf<Row, Column extends string>(
  pages: AsyncIterable<readonly Row[]>,
  columns: readonly Column[],
  view: (row: Row) => Readonly<Record<Column, CsvCell>>,
): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    const records = rows.map((row) => {
      const cells = view(row);
      return csvRecord(columns.map((column) => cells[column]));
    });
    yield records.join('');
  }
}
