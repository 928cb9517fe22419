import { Readable } from 'node:stream';
import type { JobReference } from '../../messaging/jobs/job.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import { type FieldError, fail, invalid, ServiceError } from '../../platform/errors.ts';
import type { RejectedLine } from '../../platform/line-reader.ts';
import { type ImportCounts, importListings } from './import-listings.ts';
import { importListingsJob } from './import-run.jobs.ts';
import * as store from './import-run.store.ts';

export type { ListingImport } from './import-run.store.ts';

/** The maximum number of rejected rows kept; the rest are only counted. */
export const MAX_KEPT_REJECTIONS = 1_000;

const NOTHING: ImportCounts = { inserted: 0, updated: 0, unchanged: 0, rejected: 0 };

/** Queues a file for import by a worker and returns the import's id. @throws validation_error if it is not text */
export function requestImport(
  { db }: { db: Database },
  actor: string,
  file: { environment: Environment; fileName: string; content: string },
): Promise<number> {
  const { content, fileName } = file;
  if (content.trim() === '' || content.includes('\0')) {
    throw invalid([{ path: '/file', message: 'must be a CSV or NDJSON file' }]);
  }
  const format = /\.(ndjson|jsonl|json)$/i.test(fileName) ? 'ndjson' : 'csv';
  const lines = content.split('\n').length;
  return db.transact(async (uow) => {
    const given = { ...file, actor, format, lines, now: uow.now } as const;
    const { id } = await store.insertImport.one(uow.sql, given);
    uow.jobs.add(importListingsJob, { importId: id });
    return id;
  });
}

/** Lists the domains of a requested import, batch by batch; idempotent. */
export async function runImport(
  runtime: { db: Database; clock: Clock },
  job: JobReference,
  id: number,
): Promise<void> {
  const { db } = runtime;
  const found = await store.startImport.first(db.knex, { id });
  if (!found) return db.transact(async (uow) => uow.jobs.finish(job));
  const rejections: RejectedLine[] = [];
  let told: Promise<unknown> = Promise.resolve();
  let counts = NOTHING;
  let problem: string | null = null;
  try {
    counts = await importListings(runtime, {
      environment: found.environment,
      format: found.format,
      source: Readable.from([found.content]),
      onProgress: (soFar, line) => {
        told = told.then(() => store.updateProgress.run(db.knex, { id, line, ...soFar }));
        // The error surfaces when `told` is awaited.
        told.catch(() => {});
      },
      onRejected: (row) => {
        if (rejections.length < MAX_KEPT_REJECTIONS) rejections.push(row);
      },
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'validation_error') throw error;
    // The message is for people, so it leaves out the fault's path.
    const [fault] = error.details as FieldError[];
    problem = fault ? `The file ${fault.message}.` : error.message;
  }
  await told;
  await db.transact(async (uow) => {
    const result = { ...counts, rejections, problem };
    const ended = await store.finishImport.run(uow.sql, { id, ...result, now: uow.now });
    if (ended === 1) {
      await recordAudit(uow, {
        actor: found.actor,
        action: 'listing:import',
        subject: found.environment,
        after: { file: found.fileName, ...counts },
      });
    }
    uow.jobs.finish(job);
  });
}

/** Returns an import with its progress and rejected rows. @throws not_found */
export async function readImport(
  { db }: { db: Database },
  id: number,
): Promise<store.ListingImport> {
  const found = await store.selectImport.first(db.knex, { id });
  if (!found) throw fail('not_found', { message: 'No import has this ID.' });
  return found;
}

/** Returns the newest imports. */
export function listImports(
  { db }: { db: Database },
  limit: number,
): Promise<store.ListingImport[]> {
  return store.selectRecentImports.all(db.knex, { limit });
}
