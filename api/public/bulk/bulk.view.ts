import type { BulkItem, BulkItemState, BulkJob } from '../../../shared/bulk/bulk-job.ts';
import { progressOf } from '../../../shared/bulk/bulk-job.ts';
import type { BULK_RESULTS } from './bulk.schema.ts';

type Result = (typeof BULK_RESULTS)[number];

/** What callers see of the states of a domain: one that nothing was done to has no result. */
export const STATES_OF: Readonly<Record<Result, readonly BulkItemState[]>> = {
  pending: ['pending', 'started', 'cancelled'],
  ok: ['ok'],
  error: ['error'],
};

export function progressView(job: BulkJob) {
  return {
    id: job.id,
    op: job.action.op,
    status: job.status,
    dry_run: job.dryRun,
    total: job.total,
    succeeded: job.succeeded,
    failed: job.failed,
    progress: progressOf(job),
    created_at: job.createdAt,
    finished_at: job.finishedAt,
  };
}

export function resultView(item: BulkItem) {
  if (item.state === 'ok' || item.state === 'error') {
    return { domain: item.domain, status: item.state, code: item.code, message: item.message };
  }
  const message = item.state === 'cancelled' ? 'The job was cancelled before this domain.' : null;
  return { domain: item.domain, status: 'pending' as const, code: null, message };
}
