import type { ErrorRequestHandler, Response } from 'express';
import { anonymousCaller, type PublicCaller } from './caller.ts';
import {
  type PublicLimitGroup,
  type PublicLimits,
  rateLimitHeaders,
  requireSlot,
  type Slot,
} from './limits.ts';

/** Asks for a slot and tells in the headers of the answer how the caller stands. */
export async function askSlot(
  limits: PublicLimits,
  group: PublicLimitGroup,
  caller: PublicCaller,
  res: Response,
): Promise<Slot> {
  res.locals.publicCaller = caller;
  const slot = await limits.take(group, caller);
  res.set(rateLimitHeaders(slot));
  return slot;
}

/** The same for those who need one. @throws rate_limited */
export async function takeSlot(...asked: Parameters<typeof askSlot>): Promise<void> {
  requireSlot(await askSlot(...asked));
}

/**
 * What was refused before anybody was admitted (an unknown path, a bad token) costs a read of the address,
 * or of the user when one is known to be signed in.
 */
export function chargeRefused(limits: PublicLimits): ErrorRequestHandler {
  return async (error, req, res, next) => {
    const { publicCaller, signedIn = anonymousCaller(req) } = res.locals;
    if (!publicCaller) await takeSlot(limits, 'reads', signedIn, res);
    next(error);
  };
}
