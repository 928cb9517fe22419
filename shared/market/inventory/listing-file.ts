import { parse } from 'csv-parse/sync';
import { invalid } from '../../platform/errors.ts';
import { type Line, readJsonLines, readLines, TOO_LONG } from '../../platform/line-reader.ts';
import type { ListingInput } from './listing.ts';

export type ListingFileFormat = 'csv' | 'ndjson';

/** A row of a file: its text, and its input or why it can't be read. `line` counts from 1. */
export type FileRow = { line: number; text: string } & (
  | { input: ListingInput }
  | { reason: string }
);

/** The number of lines a quoted field may span before its quote counts as a mistake. */
const MAX_QUOTED_LINES = 100;
const REQUIRED = ['domain', 'price_cents'] as const;
/** An empty line, or the commas a spreadsheet writes for an empty row. */
const EMPTY_ROW = /^[\s,]*$/;
/** The separators that spreadsheets use instead of commas in some countries. */
const OTHER_SEPARATORS = { ';': 'semicolons', '\t': 'tabs' } as const;

/**
 * Streams the rows of a file. A bad row is reported with its line and does not affect other rows.
 * @throws validation_error when a CSV has no header with `domain` and `price_cents`
 */
export function readListingFile(
  source: AsyncIterable<Uint8Array | string>,
  format: ListingFileFormat,
): AsyncGenerator<FileRow> {
  const lines = readLines(source);
  return format === 'ndjson' ? readNdjson(lines) : readCsv(lines);
}

async function* readNdjson(lines: AsyncIterable<Line>): AsyncGenerator<FileRow> {
  for await (const row of readJsonLines(lines)) {
    const { line, text } = row;
    yield 'reason' in row ? row : { line, text, input: toInput(row.value) };
  }
}

async function* readCsv(lines: AsyncGenerator<Line>): AsyncGenerator<FileRow> {
  const waiting: Line[] = [];
  const next = async (): Promise<Line | undefined> => {
    const line = waiting.shift();
    if (line) return line;
    const { value, done } = await lines.next();
    return done ? undefined : value;
  };
  const header = readHeader(await next());
  for (let line = await next(); line; line = await next()) {
    if (line.isTooLong) {
      yield { line: line.number, text: line.text, reason: TOO_LONG };
    } else if (!EMPTY_ROW.test(line.text)) {
      // A record continues while a quote is open. If the result does not parse, only its first line is bad.
      const more: Line[] = [];
      let record = line.text;
      while (hasOpenQuote(record) && more.length < MAX_QUOTED_LINES) {
        const following = await next();
        if (!following) break;
        more.push(following);
        record += `\n${following.isTooLong ? '' : following.text}`;
      }
      const row = parseRecord(line.number, record, header);
      if ('reason' in row) waiting.unshift(...more);
      yield 'reason' in row ? { ...row, text: line.text } : row;
    }
  }
}

function readHeader(line: Line | undefined): string[] {
  const text = line?.text ?? '';
  const names = (splitRecord(text) ?? []).map(columnName);
  const missing = missingIn(names);
  if (missing.length > 0) {
    const separator = (Object.keys(OTHER_SEPARATORS) as (keyof typeof OTHER_SEPARATORS)[]).find(
      (each) => missingIn(text.split(each).map(columnName)).length === 0,
    );
    const message = separator
      ? `has ${OTHER_SEPARATORS[separator]} between its fields: save it with commas`
      : `must start with a header line that names ${missing.join(', ')}`;
    throw invalid([{ path: '/file', message }]);
  }
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw invalid([
      { path: '/file', message: `names the column ${twice} twice: keep one of them` },
    ]);
  }
  return names;
}

const columnName = (field: string) => field.replaceAll('"', '').trim().toLowerCase();

const missingIn = (names: readonly string[]) => REQUIRED.filter((name) => !names.includes(name));

function parseRecord(line: number, text: string, header: string[]): FileRow {
  const fields = splitRecord(text);
  if (!fields) return { line, text, reason: 'is not valid CSV: check its quotes' };
  if (fields.length !== header.length) {
    return { line, text, reason: `has ${fields.length} fields, the header has ${header.length}` };
  }
  const row = Object.fromEntries(header.map((name, at) => [name, fields[at]]));
  return { line, text, input: toInput(row) };
}

function splitRecord(text: string): string[] | undefined {
  if (!text.includes('"')) return text.split(',');
  try {
    const [record] = parse(text, { relax_column_count: true, ltrim: true, rtrim: true });
    return record;
  } catch {
    return undefined;
  }
}

function hasOpenQuote(text: string): boolean {
  return (text.split('"').length - 1) % 2 === 1;
}

/**
 * Converts types only. Missing or invalid values are left to the checks that every listing passes. A term without a
 * column or key stays undefined: it is left out, not empty.
 */
function toInput(row: Record<string, unknown>): ListingInput {
  const ifGiven = <T>(name: string, read: (value: unknown) => T): T | undefined =>
    row[name] === undefined ? undefined : read(row[name]);
  return {
    domain: toText(row.domain) ?? '',
    priceCents: toAmount(row.price_cents) ?? Number.NaN,
    floorPriceCents: ifGiven('floor_price_cents', (value) => toAmount(value) ?? null),
    currency: toText(row.currency)?.toUpperCase(),
    offersAccepted: ifGiven('offers_accepted', (value) => toFlag(toText(value))),
    category: ifGiven('category', (value) => toText(value) ?? null),
    description: ifGiven('description', (value) => toText(value) ?? null),
    keywords: ifGiven('keywords', toKeywords),
  };
}

function toKeywords(value: unknown): string[] {
  if (Array.isArray(value)) return value.map((keyword) => toText(keyword) ?? '');
  return toText(value)?.split(/[;,|]/) ?? [];
}

function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();
  return text === '' ? undefined : text;
}

function toFlag(text: string | undefined): boolean | string {
  if (text === undefined || /^(false|no|0)$/i.test(text)) return false;
  return /^(true|yes|1)$/i.test(text) || text;
}

function toAmount(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const text = toText(value);
  if (text === undefined) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
