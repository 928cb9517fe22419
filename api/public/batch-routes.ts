import pMap from 'p-map';
import { type Static, Type } from 'typebox';
import { invalid } from '../../shared/platform/errors.ts';
import { oneLineText } from '../../shared/platform/one-line.ts';
import { nullable } from '../http/common-schemas.ts';
import { errorEnvelope, toServiceError } from '../http/error-response.ts';
import { refuseUnstorable } from '../http/json-body.ts';
import { reply } from '../http/reply.ts';
import { bodyValidator } from '../http/validate.ts';
import {
  type Operation,
  type Outcome,
  operationNamed,
  operations,
  runOperation,
} from './public-operations.ts';
import { publicRoute } from './public-route.ts';

/** The maximum number of operations per request. */
const MAX_OPERATIONS = 20;

const MAX_ID_LENGTH = 255;

/** Numbers beyond these bounds would not be echoed exactly as they were sent. */
const EntryId = Type.Union([
  oneLineText({ maxLength: MAX_ID_LENGTH }),
  Type.Number({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
]);

const BatchEntry = Type.Object({
  id: Type.Optional(EntryId),
  op: Type.String({ description: 'An operation name from `GET /api/batch`.' }),
  params: Type.Optional(
    Type.Object({}, { description: 'The path, query or body parameters of the call.' }),
  ),
});

/** Accepts any entry, because a bad one must not fail the others. */
const BatchBody = Type.Object({
  operations: Type.Array(
    Type.Union([BatchEntry, Type.Unknown({ description: 'Invalid calls get their own 400.' })]),
    { minItems: 1, maxItems: MAX_OPERATIONS },
  ),
});

const BatchView = Type.Object({
  results: Type.Array(
    Type.Object({
      id: nullable(Type.Union([Type.String(), Type.Number()])),
      op: nullable(Type.String()),
      status: Type.Integer({ description: 'The HTTP status of the call.' }),
      body: Type.Unknown({ description: 'The response of the call, or its error.' }),
    }),
    { description: 'In the same order as the operations.' },
  ),
  count: Type.Integer(),
  failed: Type.Integer({ description: 'The number of calls with a status of 400 or higher.' }),
});

const CatalogueView = Type.Object({
  operations: Type.Array(
    Type.Object({
      op: Type.String(),
      description: Type.String(),
      params_schema: Type.Unknown({ description: 'JSON Schema of `params`.' }),
      single_call: Type.Object({ method: Type.String(), path: Type.String() }),
    }),
  ),
  max_operations: Type.Integer(),
});

/** `GET /batch`: lists the operations a batch can hold. */
export const listOperationsRoute = publicRoute({
  method: 'GET',
  path: '/batch',
  operationId: 'listOperations',
  summary: 'List the operations allowed in a batch.',
  limit: 'reads',
  responses: { 200: CatalogueView },
  async handler() {
    return reply(200, {
      operations: operations.map(({ op, description, paramsSchema, route }) => ({
        op,
        description,
        params_schema: paramsSchema,
        single_call: {
          method: route.method,
          path: `/api${route.path.replace(/:(\w+)/g, '{$1}')}`,
        },
      })),
      max_operations: MAX_OPERATIONS,
    });
  },
});

const MAX_BODY_BYTES = 256_000;
/** How many entries of one batch run at a time: one caller must not hold all database connections. */
const CONCURRENCY = 8;

/** `POST /batch`: makes up to 20 reads in one request, each with the response of its single call. */
export const runBatchRoute = publicRoute({
  method: 'POST',
  path: '/batch',
  operationId: 'runBatch',
  summary: 'Make up to 20 reads in one request.',
  description:
    'Each operation gets the same response as a single call, in the order of the request, and counts against its own rate limit. A failed operation does not affect the others.',
  limit: 'batch',
  maxBodyBytes: MAX_BODY_BYTES,
  checksTextInParts: true,
  body: BatchBody,
  responses: { 200: BatchView },
  async handler(context, { body, caller, requestId }) {
    // All slots are taken before any entry runs: if they don't suffice, the first entries get them.
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

/** A batch entry with a known operation; the operation itself validates the params. */
export interface ReadEntry {
  operation: Operation;
  params: object;
}

const checkEntry = bodyValidator(BatchEntry);

/** @throws validation_error (not an object, a bad id, params that are not an object, an unknown operation) */
function readEntry(given: unknown): ReadEntry {
  refuseUnstorable(entryLabel(given));
  const { op, params = {} } = checkEntry(given) as Static<typeof BatchEntry>;
  const operation = operationNamed(op);
  if (operation) return { operation, params };
  const known = operations.map((each) => each.op).join(', ');
  throw invalid([{ path: '/op', message: `must be one of ${known}` }]);
}

/** Returns the `id` and `op` that a result repeats from its entry; null for what could not be read. */
function entryLabel(given: unknown): { id: string | number | null; op: string | null } {
  const { id, op } = (given ?? {}) as { id?: unknown; op?: unknown };
  const isId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
  return { id: isId ? id : null, op: typeof op === 'string' ? op : null };
}
