import { parseDomain } from '../inventory/domain-name.ts';
import { enqueue } from '../outbox/enqueue.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { ServiceError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { chunkJobs } from './bulk.jobs.ts';
import { insertJob } from './bulk.store.ts';
import { type BulkAction, canonicalAction } from './bulk-action.ts';
import type { BulkItem, BulkJob } from './bulk-job.ts';

type NewItem = Pick<BulkItem, 'domain' | 'code' | 'message'>;

/**
 * Records an operation on many domains, and the work that it is. A domain named twice, in whatever spelling,
 * counts once; text that is no domain becomes an item that fails alone.
 * @throws validation_error for parameters that make no sense
 */
export async function createBulkJob(
  tx: Tx,
  config: Pick<Config, 'bulkChunkSize'>,
  request: { userId: string; action: BulkAction; domains: readonly string[]; dryRun: boolean },
  now: Date,
): Promise<BulkJob> {
  const action = canonicalAction(request.action);
  const items = new Map<string, NewItem>();
  for (const text of request.domains) {
    const item = toItem(text);
    if (!items.has(item.domain)) items.set(item.domain, item);
  }
  const job: BulkJob = {
    id: newId('bulkJob', now),
    userId: request.userId,
    action,
    dryRun: request.dryRun,
    status: 'queued',
    total: items.size,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    createdAt: now,
    finishedAt: null,
  };
  await insertJob(tx, job, [...items.values()]);
  await enqueue(tx, chunkJobs(job, config.bulkChunkSize, now), now);
  return job;
}

function toItem(text: string): NewItem {
  try {
    return { domain: parseDomain(text).ascii, code: null, message: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = error.message.replace(/^\/domain /, 'The name ');
    return { domain: text, code: error.code, message: `${message}.` };
  }
}
