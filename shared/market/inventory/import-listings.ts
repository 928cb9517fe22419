import { parse } from 'csv-parse/sync';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import { type FieldError, invalid, ServiceError } from '../../platform/errors.ts';
import {
  type Line,
  type RejectedLine,
  readJsonLines,
  readLines,
  rejectedLine,
  TOO_LONG,
} from '../../platform/line-reader.ts';
import { indexListings, refreshIndexStatistics } from '../search/search-index.ts';
import { lockUnchanged, writeListings } from './listing.store.ts';
import { draftListing, type ListingDraft, type ListingInput } from './listing.ts';

/** Rows a transaction takes. */
const BATCH_SIZE = 1_000;

export interface ImportCounts {
  inserted: number;
  updated: number;
  /** Listed with just these terms before. */
  unchanged: number;
  rejected: number;
}

interface ImportDeps {
  db: Database;
  clock: Clock;
}

/**
 * Lists every domain of a CSV or NDJSON stream, batch by batch: new ones are inserted, known ones get the new
 * terms (a delisted one is listed again), sold ones and bad rows are rejected, each with its line and reason. Running it
 * again changes nothing more.
 * @throws validation_error when a CSV has no usable header or the file is not UTF-8; rows never throw
 */
export async function importListings(
  runtime: ImportDeps,
  input: {
    environment: Environment;
    source: AsyncIterable<Uint8Array | string>;
    format: ListingFileFormat;
    /** Called after each batch with the counts so far, and the line that was reached. */
    onProgress?: ((counts: ImportCounts, line: number) => void) | undefined;
    onRejected?: ((row: RejectedLine) => void) | undefined;
  },
): Promise<ImportCounts> {
  const counts: ImportCounts = { inserted: 0, updated: 0, unchanged: 0, rejected: 0 };
  const reject = ({ line, text }: Pick<FileRow, 'line' | 'text'>, reason: string) => {
    counts.rejected += 1;
    input.onRejected?.(rejectedLine(line, text, reason));
  };
  let reached = 0;
  /** By domain: one statement can't write a row twice, and the later line has to win. */
  let batch = new Map<string, { line: number; text: string; draft: ListingDraft }>();
  const flush = async () => {
    const rows = batch;
    batch = new Map();
    const drafts = [...rows.values()].map(({ draft }) => draft);
    const { inserted, updated, unchanged, sold } = await upsertBatch(
      runtime,
      input.environment,
      drafts,
    );
    counts.inserted += inserted;
    counts.updated += updated;
    counts.unchanged += unchanged;
    for (const domain of sold) {
      const row = rows.get(domain);
      if (row) reject(row, `${domain} is sold`);
    }
    const lines = [...rows.values()].map(({ line }) => line);
    reached = Math.max(reached, ...lines);
    input.onProgress?.({ ...counts }, reached);
  };

  // A batch is written while the next one is read; one after the other, since a later line of a domain wins.
  let writing = Promise.resolve();
  const flushNext = async () => {
    await writing;
    writing = flush();
    // Told when it is awaited, which may be after more was read.
    writing.catch(() => {});
  };

  for await (const row of readListingFile(input.source, input.format)) {
    const draft = 'input' in row ? draftOrReason(input.environment, row.input) : row.reason;
    if (typeof draft === 'string') {
      reject(row, draft);
    } else {
      if (batch.has(draft.name.ascii) || batch.size >= BATCH_SIZE) await flushNext();
      batch.set(draft.name.ascii, { line: row.line, text: row.text, draft });
    }
  }
  await flushNext();
  await writing;
  await refreshIndexStatistics(runtime, input.environment);
  return counts;
}

/**
 * Lists domains from memory, in batches as an import does; sold ones are left alone.
 * @throws validation_error for the first input that is wrong
 */
export async function addListings(
  runtime: ImportDeps,
  input: { environment: Environment; listings: readonly ListingInput[] },
): Promise<void> {
  for (let at = 0; at < input.listings.length; at += BATCH_SIZE) {
    const batch = input.listings.slice(at, at + BATCH_SIZE);
    const drafts = batch.map((listing) => draftListing(input.environment, listing));
    await upsertBatch(runtime, input.environment, drafts);
  }
  await refreshIndexStatistics(runtime, input.environment);
}

async function upsertBatch(
  { db, clock }: ImportDeps,
  environment: Environment,
  drafts: readonly ListingDraft[],
): Promise<{ inserted: number; updated: number; unchanged: number; sold: string[] }> {
  if (drafts.length === 0) return { inserted: 0, updated: 0, unchanged: 0, sold: [] };
  let unchanged: string[] = [];
  const listings = await db.transact(async (uow) => {
    unchanged = await lockUnchanged(uow.sql, environment, drafts);
    const same = new Set(unchanged);
    const changed = drafts.filter(({ name }) => !same.has(name.ascii));
    if (changed.length === 0) return [];
    const rows = await writeListings(uow.sql, environment, changed, clock.now());
    await indexListings(uow, environment, rows);
    return rows;
  });
  const written = new Set([...unchanged, ...listings.map(({ domain }) => domain)]);
  const inserted = listings.filter((listing) => listing.inserted).length;
  return {
    inserted,
    updated: listings.length - inserted,
    unchanged: unchanged.length,
    sold: drafts.map(({ name }) => name.ascii).filter((domain) => !written.has(domain)),
  };
}

/** The draft, or in words why there is none. */
function draftOrReason(environment: Environment, input: ListingInput): ListingDraft | string {
  try {
    return draftListing(environment, input);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.details as FieldError[])
      .map(({ path, message }) => `${path.slice(1)} ${message}`)
      .join('; ');
  }
}

export type ListingFileFormat = 'csv' | 'ndjson';

/** A row of a file as it stands there, and what it says, or why it can't be read. `line` counts from 1. */
export type FileRow = { line: number; text: string } & (
  | { input: ListingInput }
  | { reason: string }
);

/** How many lines a quoted field may span before its quote counts as a slip. */
const MAX_QUOTED_LINES = 100;
const REQUIRED = ['domain', 'price_cents'] as const;

/**
 * The rows of a file, read as a stream. A bad row is told by its line and costs no other row.
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
    } else if (line.text.trim() !== '') {
      // A record goes on while a quote is open. If that leads nowhere, only its first line was bad.
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
  const fields = splitRecord(line?.text ?? '') ?? [];
  const names = fields.map((field) => field.trim().toLowerCase());
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw invalid([
      { path: '/file', message: `must start with a header line that names ${missing.join(', ')}` },
    ]);
  }
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw invalid([
      { path: '/file', message: `names the column ${twice} twice: keep one of them` },
    ]);
  }
  return names;
}

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

/** Types only; what is missing or makes no sense is left for the checks that every listing passes. */
function toInput(row: Record<string, unknown>): ListingInput {
  return {
    domain: toText(row.domain) ?? '',
    priceCents: toAmount(row.price_cents) ?? Number.NaN,
    floorPriceCents: toAmount(row.floor_price_cents),
    currency: toText(row.currency)?.toUpperCase(),
    offersAccepted: /^(true|yes|1)$/i.test(toText(row.offers_accepted) ?? ''),
    category: toText(row.category),
    description: toText(row.description),
    keywords: Array.isArray(row.keywords)
      ? row.keywords.map((keyword) => toText(keyword) ?? '')
      : toText(row.keywords)?.split(/[;,|]/),
  };
}

function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();
  return text === '' ? undefined : text;
}

function toAmount(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const text = toText(value);
  if (text === undefined) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
