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

/** A chunk on its way to the registrar. */
export interface StartedChunk {
  /** The domains to call the registrar for. */
  calls: { position: number; domain: string }[];
  /** Results of domains that the registrar need not be asked about. */
  refused: ItemResult[];
}

/** The job that a chunk is of; undefined when it was deleted since. */
export function findChunkJob({ db }: Deps, { jobId }: Chunk): Promise<BulkJob | undefined> {
  return selectJobOfChunk.first(db.knex, { jobId });
}

/**
 * Takes what has no result yet in a chunk of a job for the registrar. What a worker that died had taken is
 * taken again: the registrar knows each call by its reference.
 */
export async function startRegistrarChunk(
  deps: Deps,
  job: BulkJob,
  chunk: Chunk,
): Promise<StartedChunk> {
  const { knex } = deps.db;
  // No transaction: a run that is ended between two statements is made good by the next one. The job begins before any
  // of its domains, so that a cancellation never finds a job that has not begun and domains that have.
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
 * Does a whole chunk that the registrar has nothing to do with: what happens on our own market, and every
 * dry run. That is the work of `task`.
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
    // Only the caller's domains are locked, so that naming somebody else's domain cannot hold up its sale.
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
 * Writes results, and what the registrar told with them. A result that is there already is not counted again;
 * the last one of a job ends it. Locks the job's row, for which its other chunks wait.
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
  // Where no worker could note that it began, for somebody held the job.
  await moveJob(uow.sql, jobId, 'start');
  // Does nothing to a job that was cancelled meanwhile.
  await moveJob(uow.sql, jobId, job.failed > 0 ? 'complete_with_errors' : 'complete');
}

/** A chunk is tried for longer than this before it is dead. */
const LEAST_AGE_MS = 10 * MINUTE;

const UNKNOWN_OUTCOME = {
  code: 'internal_error',
  message: 'It did not work. Look whether the change was made before you repeat it.',
} as const;

/**
 * Gives a bad result to what is left of chunks that no worker could carry through, so that their jobs end.
 * Looks at up to `limit` unfinished jobs; returns how many domains it gave up.
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
      // A chunk may have died before anything of its job was done.
      await moveJob(uow.sql, chunk.jobId, 'start');
      const results = items.map(({ position }) => errorResult(position, UNKNOWN_OUTCOME));
      await recordResults(uow, chunk.jobId, { results, facts: [] });
      return items.length;
    });
  }
  return given;
}
