import type { ErrorRequestHandler, Response } from 'express';
import { anonymousCaller, type PublicCaller } from './caller.ts';
import {
  type PublicLimitGroup,
  type PublicLimits,
  type RateLimitState,
  rateLimitHeaders,
  requireWithinLimit,
} from './limits.ts';

/** Asks for a slot and tells in the headers of the answer how the caller stands. */
export async function countRequest(
  limits: PublicLimits,
  group: PublicLimitGroup,
  caller: PublicCaller,
  res: Response,
): Promise<RateLimitState> {
  res.locals.publicCaller = caller;
  const slot = await limits.take(group, caller);
  res.set(rateLimitHeaders(slot));
  return slot;
}

/** The same for those who need one. @throws rate_limited */
export async function countOrRefuse(...asked: Parameters<typeof countRequest>): Promise<void> {
  requireWithinLimit(await countRequest(...asked));
}

/**
 * What was refused before anybody was admitted (an unknown path, a bad token) costs a read of the address,
 * or of the user when one is known to be signed in.
 */
export function countRefusedRequests(limits: PublicLimits): ErrorRequestHandler {
  return async (error, req, res, next) => {
    const { publicCaller, signedIn = anonymousCaller(req) } = res.locals;
    if (!publicCaller) await countOrRefuse(limits, 'reads', signedIn, res);
    next(error);
  };
}
