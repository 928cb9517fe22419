import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { invalid } from '../../../platform/errors.ts';
import type { ListEntry } from '../list-entry.ts';

const COLUMNS = [
  'list',
  'entry_id',
  'kind',
  'name',
  'aliases',
  'birth_dates',
  'countries',
  'programme',
] as const;

type Row = Record<(typeof COLUMNS)[number], string>;

/**
 * Reads the entries of a UTF-8 CSV file with a header. Multiple values in a field are separated by `|`.
 * @throws validation_error at the first line that is invalid or belongs to another list
 */
export async function* readCsvList(
  source: AsyncIterable<Uint8Array>,
  list: string,
): AsyncGenerator<ListEntry> {
  const rows = Readable.from(source).pipe(
    parse({ bom: true, columns: readHeader, info: true, trim: true, skip_empty_lines: true }),
  );
  try {
    for await (const { record, info } of rows as AsyncIterable<{
      record: Row;
      info: { lines: number };
    }>) {
      yield readRow(record, list, info.lines);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw notCsv(`is broken at line ${Number(error.lines ?? 0)}: ${error.message}`);
  }
}

function readHeader(names: string[]): string[] {
  const header = names.map((name) => name.toLowerCase());
  const missing = COLUMNS.filter((name) => !header.includes(name));
  if (missing.length > 0) throw notCsv(`must have a header with ${missing.join(', ')}`);
  return header;
}

function readRow(row: Row, list: string, line: number): ListEntry {
  const { entry_id: id, kind, name, programme } = row;
  if (row.list !== list)
    throw notCsv(`is of the list "${row.list}" at line ${line}, not of "${list}"`);
  if (kind !== 'person' && kind !== 'entity') {
    throw notCsv(`has the kind "${kind}" at line ${line}: it must be person or entity`);
  }
  if (id === '' || name === '') throw notCsv(`lacks an entry_id or a name at line ${line}`);
  return {
    id,
    kind,
    name,
    aliases: row.aliases.split('|'),
    birthDates: row.birth_dates.split('|'),
    countries: row.countries.split('|'),
    programme: programme || null,
  };
}

function notCsv(message: string) {
  return invalid([{ path: '/file', message }]);
}
