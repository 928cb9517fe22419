import { Type } from 'typebox';
import { BULK_OPS, BULK_PARAMS, MAX_BULK_DOMAINS } from '../../../shared/bulk/bulk-action.ts';
import { BULK_JOB_STATUSES } from '../../../shared/bulk/bulk-job-states.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../../../shared/platform/error-catalogue.ts';
import { PageQuery } from '../../http/pagination.ts';
import { Instant, nullable } from '../../http/schema.ts';

/** A thousand domains of some 250 characters. */
export const MAX_BULK_BYTES = 256_000;

export const BulkParams = Type.Object({
  op: Type.String({ description: `One of ${BULK_OPS.join(', ')}.` }),
});

export const BulkInput = Type.Object({
  domains: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_BULK_DOMAINS,
    description: 'A domain named twice, in whatever spelling, counts once.',
  }),
  // Any object is one of them; what the operation takes is checked when it is known.
  params: Type.Optional(
    Type.Union([...new Set(Object.values(BULK_PARAMS))], {
      description: 'What the operation takes.',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Check everything, change nothing, and tell what would happen.' }),
  ),
});

const Op = Type.Enum([...BULK_OPS]);
const Status = Type.Enum([...BULK_JOB_STATUSES]);

export const BulkAccepted = Type.Object(
  {
    id: Type.String(),
    op: Op,
    status: Status,
    total: Type.Integer({ description: 'Different domains.' }),
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
  progress: Type.Number({ minimum: 0, maximum: 1, description: 'Share with a result.' }),
  created_at: Instant,
  finished_at: nullable(Instant),
};

export const BulkProgress = Type.Object(progress, {
  title: 'BulkJobProgress',
  description: 'How far a job is; as server-sent events, again and again until it is over.',
});

export const BULK_RESULTS = ['pending', 'ok', 'error'] as const;

const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

export const BulkJobView = Type.Object(
  {
    ...progress,
    results: Type.Array(
      Type.Object(
        {
          domain: Type.String({ description: 'A-labels; as sent where it is no domain.' }),
          status: Type.Enum([...BULK_RESULTS]),
          code: nullable(Type.Enum(codes)),
          message: nullable(Type.String()),
        },
        { title: 'BulkResult' },
      ),
      { description: 'A page, in the order of the request.' },
    ),
    next_cursor: nullable(Type.String()),
  },
  { title: 'BulkJob', description: 'How far a job is, and a page of its results.' },
);

export const JobParams = Type.Object({ id: Type.String({ description: 'Of the job.' }) });

export const JobQuery = Type.Object({
  ...PageQuery,
  result: Type.Optional(
    Type.Enum([...BULK_RESULTS], { description: 'Only domains with this result.' }),
  ),
});
