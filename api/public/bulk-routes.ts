import { Type } from 'typebox';
import {
  BULK_JOB_STATUSES,
  type BulkItem,
  type BulkItemState,
  type BulkJob,
  progressOf,
} from '../../shared/domains/bulk/bulk-job.ts';
import {
  cancelBulkJob,
  createBulkJob,
  listBulkItems,
  readBulkJob,
} from '../../shared/domains/bulk/bulk-job-lifecycle.ts';
import {
  BULK_OPERATIONS,
  BULK_OPS,
  type BulkAction,
  type BulkOp,
  isBulkOp,
  MAX_BULK_DOMAINS,
} from '../../shared/domains/bulk/bulk-operations.ts';
import { ERROR_CATALOGUE, type ErrorCode, fail } from '../../shared/platform/errors.ts';
import { Instant, nullable } from '../http/common-schemas.ts';
import { BY_NUMBER, PageQuery } from '../http/pagination.ts';
import { reply } from '../http/reply.ts';
import { bodyValidator, type Validator } from '../http/validate.ts';
import { userOf } from './public-caller.ts';
import { publicRoute, replyIdempotently } from './public-route.ts';

/** Room for a thousand domains of about 250 characters each. */
export const MAX_BULK_BYTES = 256_000;

const BulkParams = Type.Object({
  op: Type.String({ description: `One of ${BULK_OPS.join(', ')}.` }),
});

const BulkInput = Type.Object({
  domains: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_BULK_DOMAINS,
    description: 'A domain listed twice, in any spelling, counts once.',
  }),
  // Any object matches; the operation validates its params once it is known.
  params: Type.Optional(
    Type.Union([...new Set(Object.values(BULK_OPERATIONS).map(({ params }) => params))], {
      description: 'The parameters of the operation.',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      description: 'Check everything and report what would happen, without changing anything.',
    }),
  ),
});

const Op = Type.Enum([...BULK_OPS]);
const Status = Type.Enum([...BULK_JOB_STATUSES]);

const BulkAccepted = Type.Object(
  {
    id: Type.String(),
    op: Op,
    status: Status,
    total: Type.Integer({ description: 'The number of distinct domains.' }),
    dry_run: Type.Boolean(),
    status_url: Type.String({ format: 'uri' }),
  },
  { title: 'BulkJobAccepted', description: 'The job that was recorded.' },
);

const progress = {
  id: Type.String(),
  op: Op,
  status: Status,
  dry_run: Type.Boolean(),
  total: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  progress: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The share of operations with a result.',
  }),
  created_at: Instant,
  finished_at: nullable(Instant),
};

export const BulkProgress = Type.Object(progress, {
  title: 'BulkJobProgress',
  description: 'The progress of a job as server-sent events, until it ends.',
});

export const BULK_RESULTS = ['pending', 'ok', 'error'] as const;

const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

const BulkJobView = Type.Object(
  {
    ...progress,
    results: Type.Array(
      Type.Object(
        {
          domain: Type.String({
            description: 'In A-labels (Punycode); unchanged if the input is not a domain.',
          }),
          status: Type.Enum([...BULK_RESULTS]),
          code: nullable(Type.Enum(codes)),
          message: nullable(Type.String()),
        },
        { title: 'BulkResult' },
      ),
      { description: 'A page, in the order they were requested.' },
    ),
    next_cursor: nullable(Type.String()),
  },
  { title: 'BulkJob', description: 'The progress of a job, and a page of its results.' },
);

export const JobParams = Type.Object({ id: Type.String({ description: 'The job ID.' }) });

const JobQuery = Type.Object({
  ...PageQuery,
  result: Type.Optional(
    Type.Enum([...BULK_RESULTS], { description: 'Only domains with this result.' }),
  ),
});

const paramsOf = Object.fromEntries(
  BULK_OPS.map((op) => [op, bodyValidator(Type.Object({ params: BULK_OPERATIONS[op].params }))]),
) as Record<BulkOp, Validator>;

/** `POST /domains/bulk/{op}`: records an operation on many domains; workers carry it out. */
export const startBulkJobRoute = publicRoute({
  method: 'POST',
  path: '/domains/bulk/:op',
  operationId: 'startBulkJob',
  summary: 'Change up to 1,000 of your domains.',
  limit: 'bulk',
  scope: 'domains:manage',
  idempotencyKey: 'accepted',
  maxBodyBytes: MAX_BULK_BYTES,
  params: BulkParams,
  body: BulkInput,
  responses: { 202: BulkAccepted },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, params: { op }, body, idempotencyKey }) {
    if (!isBulkOp(op)) {
      throw fail('not_found', {
        message: `There is no bulk operation with this name; there are ${BULK_OPS.join(', ')}.`,
      });
    }
    const { params } = paramsOf[op]({ params: body.params ?? {} }) as BulkAction;
    const userId = userOf(caller);
    const path = `/api/domains/bulk/${op}`;
    const request = { userId, key: idempotencyKey, path, body };
    return replyIdempotently(context, request, async (uow) => {
      const wanted = {
        userId,
        action: { op, params } as BulkAction,
        domains: body.domains,
        dryRun: body.dry_run ?? false,
      };
      const job = await createBulkJob(uow, context.config, wanted);
      const answer = {
        id: job.id,
        op,
        status: job.status,
        total: job.total,
        dry_run: job.dryRun,
        status_url: `${context.config.baseUrl}/api/domains/bulk/jobs/${job.id}`,
      };
      return { status: 202, text: JSON.stringify(answer) };
    });
  },
});

/** `GET /domains/bulk/jobs/{id}`: the progress of a job, and a page of its results. */
export const getBulkJobRoute = publicRoute({
  method: 'GET',
  path: '/domains/bulk/jobs/:id',
  operationId: 'getBulkJob',
  summary: 'Read the progress and results of a bulk job.',
  limit: 'reads',
  scope: 'domains:manage',
  params: JobParams,
  query: JobQuery,
  responses: { 200: BulkJobView },
  errors: ['not_found', 'invalid_cursor'],
  async handler(context, { caller, params: { id }, query }) {
    const cursors = context.cursors.of(['bulk-results', id, query.result ?? null], BY_NUMBER);
    const after = await cursors.read(query.cursor);
    const job = await readBulkJob(context, userOf(caller), id);
    const { rows, next } = await listBulkItems(context, job, {
      states: query.result === undefined ? null : STATES_OF[query.result],
      after: after ?? -1,
      limit: query.limit,
    });
    return reply(200, {
      ...progressView(job),
      results: rows.map(resultView),
      next_cursor: await cursors.write(next),
    });
  },
});

/** `POST /domains/bulk/jobs/{id}/cancel`: cancels the domains that no worker has started. */
export const cancelBulkJobRoute = publicRoute({
  method: 'POST',
  path: '/domains/bulk/jobs/:id/cancel',
  operationId: 'cancelBulkJob',
  summary: 'Cancel the operations that a bulk job has not started.',
  // A user who spent the limit on jobs by mistake must still be able to cancel them.
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
    return replyIdempotently(context, request, async (uow) => {
      const job = await cancelBulkJob(uow, { userId, id });
      return { status: 200, text: JSON.stringify(progressView(job)) };
    });
  },
});

type Result = (typeof BULK_RESULTS)[number];

/** The item states behind each result that callers see: a domain that was not processed has no result. */
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
  const message = item.state === 'cancelled' ? 'The job was canceled before this domain.' : null;
  return { domain: item.domain, status: 'pending' as const, code: null, message };
}
