import { readBulkJob } from '../../../shared/bulk/read-bulk-job.ts';
import { reply } from '../../http/reply.ts';
import { publicRoute } from '../route.ts';
import { userOf } from '../signed-in.ts';
import { BulkProgress, JobParams } from './bulk.schema.ts';
import { progressView } from './bulk.view.ts';
import { progressEvents } from './progress-events.ts';

const EVENT_STREAM = 'text/event-stream';

/** `GET /domains/bulk/jobs/{id}/stream`: the progress as server-sent events until the job is over. */
export const streamBulkJobRoute = publicRoute({
  method: 'GET',
  path: '/domains/bulk/jobs/:id/stream',
  operationId: 'streamBulkJob',
  summary: 'Follow a bulk job as server-sent events.',
  description:
    'An answer in JSON, and at once, comes only when `Accept` names `application/json` and no event stream.',
  limit: 'reads',
  scope: 'domains:manage',
  params: JobParams,
  responses: { 200: BulkProgress },
  alternative: EVENT_STREAM,
  errors: ['not_found'],
  async handler(context, { caller, params: { id }, accept }) {
    const job = await readBulkJob(context, userOf(caller), id);
    if (accept.includes('application/json') && !accept.includes(EVENT_STREAM)) {
      return reply(200, progressView(job));
    }
    return {
      status: 200,
      live: {
        contentType: EVENT_STREAM,
        chunks: (signal) => progressEvents(context, job, signal),
      },
    };
  },
});
