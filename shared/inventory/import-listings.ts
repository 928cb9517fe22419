import type { Clock } from '../platform/clock.ts';
import type { Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { type FieldError, ServiceError } from '../platform/errors.ts';
import { indexListings, refreshIndexStatistics } from '../search/search-index.ts';
import { selectUnchanged, upsertListings } from './listing.store.ts';
import { draftListing, type ListingDraft, type ListingInput } from './listing-draft.ts';
import { type ListingFileFormat, readListingFile } from './listing-file.ts';

/** Rows a transaction takes. */
const BATCH_SIZE = 1_000;

export interface ImportCounts {
  inserted: number;
  updated: number;
  /** Listed with just these terms before. */
  unchanged: number;
  rejected: number;
}

export interface RejectedRow {
  line: number;
  reason: string;
}

interface ImportDeps {
  db: Database;
  clock: Clock;
}

/**
 * Lists every domain of a CSV or NDJSON stream, batch by batch: new ones are inserted, known ones get the new
 * terms (a delisted one is listed again), sold ones and bad rows are rejected by line and reason. Running it
 * again changes nothing more.
 * @throws validation_error when a CSV has no usable header; rows never throw
 */
export async function importListings(
  runtime: ImportDeps,
  input: {
    environment: Environment;
    source: AsyncIterable<Uint8Array | string>;
    format: ListingFileFormat;
    /** Called after each batch with the counts so far, and the line that was reached. */
    onProgress?: ((counts: ImportCounts, line: number) => void) | undefined;
    onRejected?: ((row: RejectedRow) => void) | undefined;
  },
): Promise<ImportCounts> {
  const counts: ImportCounts = { inserted: 0, updated: 0, unchanged: 0, rejected: 0 };
  const reject = (row: RejectedRow) => {
    counts.rejected += 1;
    input.onRejected?.(row);
  };
  let reached = 0;
  /** By domain: one statement can't write a row twice, and the later line has to win. */
  let batch = new Map<string, { line: number; draft: ListingDraft }>();
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
      reject({ line: rows.get(domain)?.line ?? 0, reason: `${domain} is sold` });
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
    const draft = 'input' in row ? draftOrReason(row.input) : row.reason;
    if (typeof draft === 'string') {
      reject({ line: row.line, reason: draft });
    } else {
      if (batch.has(draft.name.ascii) || batch.size >= BATCH_SIZE) await flushNext();
      batch.set(draft.name.ascii, { line: row.line, draft });
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
    const drafts = input.listings.slice(at, at + BATCH_SIZE).map(draftListing);
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
  const listings = await db.transact(async (tx) => {
    unchanged = await selectUnchanged(tx, environment, drafts);
    const same = new Set(unchanged);
    const changed = drafts.filter(({ name }) => !same.has(name.ascii));
    if (changed.length === 0) return [];
    const rows = await upsertListings(tx, environment, changed, clock.now());
    await indexListings(tx, environment, rows);
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
function draftOrReason(input: ListingInput): ListingDraft | string {
  try {
    return draftListing(input);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.details as FieldError[])
      .map(({ path, message }) => `${path.slice(1)} ${message}`)
      .join('; ');
  }
}
