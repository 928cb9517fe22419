import { lockListings } from '../../market/inventory/change-listings.ts';
import { lockHeldDomains } from '../../market/legal-holds/read-legal-holds.ts';
import { findDeadPayloads } from '../../messaging/jobs/dead-jobs.ts';
import type { JobReference } from '../../messaging/jobs/job.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Clock } from '../../platform/clock.ts';
import { addMs, MINUTE } from '../../platform/clock.ts';
import {
  findOwnedDomains,
  lockOwnedDomains,
  recordFacts,
} from '../owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../owned-domains/owned-domain.ts';
import type { DomainFacts } from '../registrar/registrar.ts';
import { type Chunk, runChunkJob } from './bulk.jobs.ts';
import {
  addCounts,
  moveJob,
  selectJobOfChunk,
  selectUnfinished,
  startJob,
  updateItemsStarted,
  writeItemResults,
} from './bulk.store.ts';
import { type BulkJob, errorResult, type ItemResult, okResult } from './bulk-job.ts';
import { applyOnMarket } from './bulk-operations.ts';
import { checkAll, dryRunMessage, namesOf, tldsFor } from './check-items.ts';

type Deps = { db: Database; clock: Clock };

/** A chunk that is ready to send to the registrar. */
export interface StartedChunk {
  /** The domains to call the registrar for. */
  calls: { position: number; domain: string }[];
  /** Results of domains that need no registrar call. */
  refused: ItemResult[];
}

/** Finds the job of a chunk; undefined if it was deleted since. */
export function findChunkJob({ db }: Deps, { jobId }: Chunk): Promise<BulkJob | undefined> {
  return selectJobOfChunk.first(db.knex, { jobId });
}

/**
 * Starts a chunk's items that have no result, for the registrar. Items that a dead worker had started are started
 * again: the registrar recognizes a repeated call by its reference.
 */
export async function startRegistrarChunk(
  deps: Deps,
  job: BulkJob,
  chunk: Chunk,
): Promise<StartedChunk> {
  const { knex } = deps.db;
  // No transaction: the next run repairs one that stops between two statements. The job starts before its items,
  // so that a cancellation never finds a queued job with started items.
  if (job.status === 'queued') await startJob(knex, job.id);
  const [tlds, items] = await Promise.all([
    tldsFor(deps, job.action),
    updateItemsStarted.all(knex, chunk),
  ]);
  const owned = await findOwnedDomains(knex, job.userId, namesOf(items));
  const around = { owned, tlds, now: deps.clock.now() };
  const { good, refused } = checkAll(job.action, items, around);
  return {
    calls: good.map(({ item }) => ({ position: item.position, domain: item.domain })),
    refused,
  };
}

/**
 * Runs a whole chunk that needs no registrar: a market operation or any dry run. Finishes the queue job `task` in the
 * same transaction.
 */
export async function runLocalChunk(
  deps: Deps,
  job: BulkJob,
  chunk: Chunk,
  task: JobReference,
): Promise<void> {
  const { action, dryRun } = job;
  const tlds = await tldsFor(deps, action);
  await deps.db.transact(async (uow) => {
    const { now } = uow;
    const items = await updateItemsStarted.all(uow.sql, chunk);
    const theirs = await findOwnedDomains(uow.sql, job.userId, namesOf(items));
    // Locks only the caller's domains, so that naming somebody else's domain cannot delay its sale.
    const names = [...theirs.keys()];
    if (!dryRun) await lockHeldDomains(uow, OWNERS_ENVIRONMENT, names);
    const listings = dryRun ? new Map() : await lockListings(uow, OWNERS_ENVIRONMENT, names);
    const owned = dryRun ? theirs : await lockOwnedDomains(uow, job.userId, names);
    const { good, refused } = checkAll(action, items, { owned, tlds, now });
    const domains = good.map((each) => each.owned);
    const messages = dryRun
      ? domains.map((domain) => dryRunMessage(action, domain, tlds))
      : await applyOnMarket(uow, action, domains, listings);
    const done = good.map(({ item }, at) => okResult(item.position, messages[at] ?? null));
    if (job.status === 'queued') await moveJob(uow.sql, job.id, 'start');
    uow.jobs.finish(task);
    await recordResults(uow, job.id, { results: [...refused, ...done], facts: [] });
  });
}

/**
 * Records results and the facts that the registrar returned with them. An existing result is not counted again. The
 * last result ends the job. Locks the job's row, so the job's other chunks wait.
 */
export async function recordResults(
  uow: UnitOfWork,
  jobId: string,
  told: { results: readonly ItemResult[]; facts: readonly DomainFacts[] },
): Promise<void> {
  const ended = await writeItemResults(uow.sql, jobId, told.results);
  await recordFacts(uow, told.facts);
  if (ended.succeeded + ended.failed === 0) return;
  const job = await addCounts(uow.sql, jobId, { ...ended, cancelled: 0 }, uow.now);
  if (job.finishedAt === null) return;
  // For a job that is still queued because another transaction held its row when its workers started.
  await moveJob(uow.sql, jobId, 'start');
  // Does nothing if the job was canceled meanwhile.
  await moveJob(uow.sql, jobId, job.failed > 0 ? 'complete_with_errors' : 'complete');
}

/** A job younger than this has no dead chunks: the retries of a chunk take longer. */
const LEAST_AGE_MS = 10 * MINUTE;

const UNKNOWN_OUTCOME = {
  code: 'internal_error',
  message: 'Something went wrong. Check whether the change was made before you try again.',
} as const;

/**
 * Fails the unfinished items of chunks whose queue jobs are dead, so that their bulk jobs end.
 * Checks up to `limit` unfinished jobs; returns how many items it failed.
 */
export async function failDeadChunks(
  runtime: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  const { db, clock } = runtime;
  const before = addMs(clock.now(), -LEAST_AGE_MS);
  const unfinished = await selectUnfinished.all(db.knex, { before, limit });
  if (unfinished.length === 0) return 0;
  const jobIds = unfinished.map(({ id }) => id);
  const chunks = await findDeadPayloads(runtime, runChunkJob, jobIds);
  let given = 0;
  for (const chunk of chunks) {
    given += await db.transact(async (uow) => {
      const items = await updateItemsStarted.all(uow.sql, chunk);
      // A chunk may have died before its job was started.
      await moveJob(uow.sql, chunk.jobId, 'start');
      const results = items.map(({ position }) => errorResult(position, UNKNOWN_OUTCOME));
      await recordResults(uow, chunk.jobId, { results, facts: [] });
      return items.length;
    });
  }
  return given;
}
