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

/** What was refused before anybody was admitted (an unknown path, a bad token) costs the address a read. */
export function chargeRefused(limits: PublicLimits): ErrorRequestHandler {
  return async (error, req, res, next) => {
    if (!res.locals.publicCaller) await takeSlot(limits, 'reads', anonymousCaller(req), res);
    next(error);
  };
}
