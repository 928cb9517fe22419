import { listBulkItems, readBulkJob } from '../../../shared/bulk/read-bulk-job.ts';
import { cutPage } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { publicRoute } from '../route.ts';
import { userOf } from '../signed-in.ts';
import { BulkJobView, JobParams, JobQuery } from './bulk.schema.ts';
import { progressView, resultView, STATES_OF } from './bulk.view.ts';

/** `GET /domains/bulk/jobs/{id}`: how far a job is, and a page of its results. */
export const getBulkJobRoute = publicRoute({
  method: 'GET',
  path: '/domains/bulk/jobs/:id',
  operationId: 'getBulkJob',
  summary: 'Read the progress and the results of a bulk job.',
  limit: 'reads',
  scope: 'domains:manage',
  params: JobParams,
  query: JobQuery,
  responses: { 200: BulkJobView },
  errors: ['not_found', 'invalid_cursor'],
  async handler(context, { caller, params: { id }, query }) {
    const paging = { limit: query.limit, filters: ['bulk-results', id, query.result ?? null] };
    const position = await context.cursors.read(query.cursor, paging.filters);
    const job = await readBulkJob(context, userOf(caller), id);
    const items = await listBulkItems(context, job, {
      states: query.result === undefined ? null : STATES_OF[query.result],
      after: position ? Number(position[0]) : -1,
      limit: query.limit + 1,
    });
    const { page, nextCursor } = await cutPage(context.cursors, items, paging, (item) => [
      item.position,
    ]);
    return reply(200, {
      ...progressView(job),
      results: page.map(resultView),
      next_cursor: nextCursor,
    });
  },
});
