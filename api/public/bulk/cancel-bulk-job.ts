import { cancelBulkJob } from '../../../shared/bulk/cancel-bulk-job.ts';
import { replyIdempotently } from '../answer-once.ts';
import { publicRoute } from '../route.ts';
import { userOf } from '../signed-in.ts';
import { BulkProgress, JobParams } from './bulk.schema.ts';
import { progressView } from './bulk.view.ts';

/** `POST /domains/bulk/jobs/{id}/cancel`: stops what no worker has started. */
export const cancelBulkJobRoute = publicRoute({
  method: 'POST',
  path: '/domains/bulk/jobs/:id/cancel',
  operationId: 'cancelBulkJob',
  summary: 'Cancel what a bulk job has not started.',
  // Whoever has spent the limit on jobs by mistake must still be able to stop them.
  limit: 'reads',
  scope: 'domains:manage',
  idempotencyKey: 'accepted',
  params: JobParams,
  responses: { 200: BulkProgress },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, params: { id }, idempotencyKey }) {
    const userId = userOf(caller);
    const path = `/api/domains/bulk/jobs/${id}/cancel`;
    const request = { userId, key: idempotencyKey, path, body: {} };
    return replyIdempotently(context, request, async (tx) => {
      const job = await cancelBulkJob(tx, { userId, id }, context.clock.now());
      return { status: 200, body: JSON.stringify(progressView(job)) };
    });
  },
});
