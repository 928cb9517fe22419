import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import { type FieldError, ServiceError } from '../../platform/errors.ts';
import { type RejectedLine, rejectedLine } from '../../platform/line-reader.ts';
import { lockHeldDomains } from '../legal-holds/read-legal-holds.ts';
import { indexListings, refreshIndexStatistics } from '../search/search-index.ts';
import { listEmojiTlds } from '../tlds/tld-catalogue.ts';
import { lockMany, writeListings } from './listing.store.ts';
import {
  draftListing,
  hasTerms,
  keepTerms,
  type ListingDraft,
  type ListingInput,
} from './listing.ts';
import { type FileRow, type ListingFileFormat, readListingFile } from './listing-file.ts';

/** Rows per transaction. */
const BATCH_SIZE = 1_000;

export interface ImportCounts {
  inserted: number;
  updated: number;
  /** Listings that already had exactly these terms. */
  unchanged: number;
  rejected: number;
}

interface ImportDeps {
  db: Database;
  clock: Clock;
}

interface ImportInput {
  environment: Environment;
  source: AsyncIterable<Uint8Array | string>;
  format: ListingFileFormat;
  /** Called after each batch with the counts so far and the last line reached. */
  onProgress?: ((counts: ImportCounts, line: number) => void) | undefined;
  onRejected?: ((row: RejectedLine) => void) | undefined;
}

/**
 * Lists every domain of a CSV or NDJSON stream, batch by batch. New domains are inserted; known ones get the new terms
 * and keep those without a column or key (a delisted one is listed again). Domains that are sold or on legal hold and bad
 * rows are rejected, each with its line and reason. Idempotent.
 * @throws validation_error when a CSV has no usable header or the file is not UTF-8; rows never throw
 */
export function importListings(runtime: ImportDeps, input: ImportInput): Promise<ImportCounts> {
  return new ListingFileImport(runtime, input).run();
}

type Draft = { input: ListingInput; draft: ListingDraft };
type DraftRow = Draft & { line: number; text: string };

class ListingFileImport {
  readonly #runtime: ImportDeps;
  readonly #input: ImportInput;
  readonly #counts: ImportCounts = { inserted: 0, updated: 0, unchanged: 0, rejected: 0 };
  /** Keyed by domain: one statement can't write a row twice, and the later line must win. */
  #batch = new Map<string, DraftRow>();
  #writing = Promise.resolve();
  #reached = 0;

  constructor(runtime: ImportDeps, input: ImportInput) {
    this.#runtime = runtime;
    this.#input = input;
  }

  async run(): Promise<ImportCounts> {
    const { environment, source, format } = this.#input;
    const emojiTlds = await listEmojiTlds(this.#runtime);
    for await (const row of readListingFile(source, format)) {
      if ('reason' in row) {
        this.#reject(row, row.reason);
        continue;
      }
      const draft = draftOrReason(environment, row.input, emojiTlds);
      if (typeof draft === 'string') {
        this.#reject(row, draft);
      } else {
        const { ascii } = draft.name;
        if (this.#batch.has(ascii) || this.#batch.size >= BATCH_SIZE) await this.#writeBatch();
        this.#batch.set(ascii, { ...row, draft });
      }
    }
    await this.#writeBatch();
    await this.#writing;
    await refreshIndexStatistics(this.#runtime, environment);
    return this.#counts;
  }

  /** Writes a batch while the next one is read. Batches are written in order, since a domain's later line wins. */
  async #writeBatch(): Promise<void> {
    await this.#writing;
    this.#writing = this.#write(this.#batch);
    this.#batch = new Map();
    // The error surfaces at the next await, possibly after more rows are read.
    this.#writing.catch(() => {});
  }

  async #write(rows: ReadonlyMap<string, DraftRow>): Promise<void> {
    const written = await upsertBatch(this.#runtime, this.#input.environment, [...rows.values()]);
    this.#counts.inserted += written.inserted;
    this.#counts.updated += written.updated;
    this.#counts.unchanged += written.unchanged;
    for (const domain of written.refused) {
      const row = rows.get(domain);
      const why = written.held.has(domain) ? 'on legal hold' : 'sold';
      if (row) this.#reject(row, `${domain} is ${why}`);
    }
    this.#reached = Math.max(this.#reached, ...[...rows.values()].map(({ line }) => line));
    this.#input.onProgress?.({ ...this.#counts }, this.#reached);
  }

  #reject({ line, text }: Pick<FileRow, 'line' | 'text'>, reason: string): void {
    this.#counts.rejected += 1;
    this.#input.onRejected?.(rejectedLine(line, text, reason));
  }
}

/**
 * Lists domains from memory, in batches like an import: known ones keep the terms left out. Domains that are sold or on
 * legal hold stay unchanged.
 * @throws validation_error for the first input that is wrong
 */
export async function addListings(
  runtime: ImportDeps,
  input: { environment: Environment; listings: readonly ListingInput[] },
): Promise<void> {
  const emojiTlds = await listEmojiTlds(runtime);
  for (let at = 0; at < input.listings.length; at += BATCH_SIZE) {
    const batch = input.listings.slice(at, at + BATCH_SIZE);
    const drafts = batch.map((listing) => ({
      input: listing,
      draft: draftListing(input.environment, listing, emojiTlds),
    }));
    await upsertBatch(runtime, input.environment, drafts);
  }
  await refreshIndexStatistics(runtime, input.environment);
}

async function upsertBatch(
  { db, clock }: ImportDeps,
  environment: Environment,
  drafts: readonly Draft[],
): Promise<{
  inserted: number;
  updated: number;
  unchanged: number;
  /** Domains that are sold or on legal hold; `held` are those on legal hold. */
  refused: string[];
  held: ReadonlySet<string>;
}> {
  let held = new Set<string>();
  if (drafts.length === 0) return { inserted: 0, updated: 0, unchanged: 0, refused: [], held };
  const names = drafts.map(({ draft }) => draft.name.ascii);
  let unchanged: string[] = [];
  const listings = await db.transact(async (uow) => {
    held = await lockHeldDomains(uow, environment, names);
    const locked = await lockMany(uow.sql, environment, names);
    const known = new Map(locked.map((listing) => [listing.domain, listing]));
    const changed: ListingDraft[] = [];
    unchanged = [];
    for (const { draft, input } of drafts) {
      const listing = known.get(draft.name.ascii);
      const complete = listing ? keepTerms(draft, input, listing) : draft;
      if (listing && hasTerms(listing, complete)) unchanged.push(listing.domain);
      else changed.push(complete);
    }
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
    refused: names.filter((domain) => !written.has(domain)),
    held,
  };
}

/** Returns the draft, or the reason there is none. */
function draftOrReason(
  environment: Environment,
  input: ListingInput,
  emojiTlds: ReadonlySet<string>,
): ListingDraft | string {
  try {
    return draftListing(environment, input, emojiTlds);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.details as FieldError[])
      .map(({ path, message }) => `${path.slice(1)} ${message}`)
      .join('; ');
  }
}
