import pMap from 'p-map';
import { errorEnvelope, toServiceError } from '../../http/error-response.ts';
import { reply } from '../../http/reply.ts';
import { publicRoute } from '../route.ts';
import { type Outcome, runOperation } from '../run-operation.ts';
import { BatchBody, BatchView } from './batch.schema.ts';
import { entryLabel, readEntry } from './read-entry.ts';

const MAX_BODY_BYTES = 256_000;
/** Entries of one batch at a time: one caller must not hold all connections to the database. */
const CONCURRENCY = 8;

/** `POST /batch`: up to 20 reads in one request, each answered as its single call. */
export const runBatchRoute = publicRoute({
  method: 'POST',
  path: '/batch',
  operationId: 'runBatch',
  summary: 'Make up to 20 reads in one request.',
  description:
    'Each operation is answered as its single call, in the order of the request, and costs a slot of its own limit. One that fails does no harm to the others.',
  limit: 'batch',
  maxBodyBytes: MAX_BODY_BYTES,
  checksTextInParts: true,
  body: BatchBody,
  responses: { 200: BatchView },
  async handler(context, { body, caller, requestId }) {
    // All slots are asked for before any entry runs: when they don't suffice, the first entries get them.
    const entries = await Promise.all(
      body.operations.map(async (given) => {
        try {
          const { operation, params } = readEntry(given);
          const slot = await context.limits.take(operation.route.limit, caller);
          return { operation, call: { params, caller, slot, requestId } };
        } catch (thrown) {
          const error = toServiceError(thrown);
          return { refused: { status: error.status, body: errorEnvelope(error, requestId) } };
        }
      }),
    );
    const outcomes = await pMap(
      entries,
      async (entry): Promise<Outcome> =>
        entry.refused ?? runOperation(context, entry.operation, entry.call),
      { concurrency: CONCURRENCY },
    );
    return reply(200, {
      results: outcomes.map((outcome, at) => ({ ...entryLabel(body.operations[at]), ...outcome })),
      count: outcomes.length,
      failed: outcomes.filter(({ status }) => status >= 400).length,
    });
  },
});
