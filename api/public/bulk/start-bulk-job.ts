import { Type } from 'typebox';
import {
  BULK_OPS,
  BULK_PARAMS,
  type BulkAction,
  type BulkOp,
  isBulkOp,
} from '../../../shared/bulk/bulk-action.ts';
import { createBulkJob } from '../../../shared/bulk/create-bulk-job.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { bodyValidator, type Validator } from '../../http/validate.ts';
import { replyIdempotently } from '../answer-once.ts';
import { publicRoute } from '../route.ts';
import { userOf } from '../signed-in.ts';
import { BulkAccepted, BulkInput, BulkParams, MAX_BULK_BYTES } from './bulk.schema.ts';

const paramsOf = Object.fromEntries(
  BULK_OPS.map((op) => [op, bodyValidator(Type.Object({ params: BULK_PARAMS[op] }))]),
) as Record<BulkOp, Validator>;

/** `POST /domains/bulk/{op}`: records an operation on many domains; the worker fleet carries it out. */
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
        message: `There is no bulk operation of this name; there are ${BULK_OPS.join(', ')}.`,
      });
    }
    const { params } = paramsOf[op]({ params: body.params ?? {} }) as BulkAction;
    const userId = userOf(caller);
    const path = `/api/domains/bulk/${op}`;
    const request = { userId, key: idempotencyKey, path, body };
    return replyIdempotently(context, request, async (tx) => {
      const wanted = {
        userId,
        action: { op, params } as BulkAction,
        domains: body.domains,
        dryRun: body.dry_run ?? false,
      };
      const job = await createBulkJob(tx, context.config, wanted, context.clock.now());
      const answer = {
        id: job.id,
        op,
        status: job.status,
        total: job.total,
        dry_run: job.dryRun,
        status_url: `${context.config.baseUrl}/api/domains/bulk/jobs/${job.id}`,
      };
      return { status: 202, body: JSON.stringify(answer) };
    });
  },
});
