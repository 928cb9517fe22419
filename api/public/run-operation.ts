import { errorEnvelope, logFault, toServiceError } from '../http/error-response.ts';
import { refuseUnstorable } from '../http/json-body.ts';
import type { PublicCaller } from './caller.ts';
import { type RateLimitState, requireWithinLimit } from './limits.ts';
import type { Operation } from './operations.ts';
import type { PublicContext } from './route.ts';

/** What the single call would answer. */
export interface Outcome {
  status: number;
  body: unknown;
}

/** How an operation is called. */
export interface OperationCall {
  params: object;
  caller: PublicCaller;
  /** Taken from the limit of the operation's route. */
  slot: RateLimitState;
  requestId: string;
}

/** Answers as the operation's route would, an error in its envelope. Never throws. */
export async function runOperation(
  context: PublicContext,
  { route, check }: Operation,
  { params, caller, slot, requestId }: OperationCall,
): Promise<Outcome> {
  try {
    requireWithinLimit(slot);
    // The body of a single call is refused for it as a whole, what it does not know included.
    if (route.body) refuseUnstorable(params);
    const parts = check({ params, query: params, body: params });
    const accept = 'application/json';
    const answer = await route.handler(context, { ...parts, caller, accept, requestId });
    return { status: answer.status, body: answer.body };
  } catch (thrown) {
    const error = toServiceError(thrown);
    logFault(context.log, error, {
      requestId,
      method: route.method,
      route: `/api${route.path}`,
    });
    return { status: error.status, body: errorEnvelope(error, requestId) };
  }
}
