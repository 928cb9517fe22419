import type { Request } from 'express';
import { DAY, SECOND } from '../../../shared/platform/clock.ts';
import type { ApiServices } from '../../compose-api.ts';
import { callerBucket, createLimiter } from '../../http/rate-limit.ts';

/** Counts a caller's attempt; a request for a mailed link also counts against the daily limit. @throws rate_limited */
export type TakeSlot = (req: Request, what?: 'attempt' | 'link') => Promise<void>;

/** Creates the limits on everything a stranger may try under `/account`, in one bucket with all other sign-ins. */
export function createSignInSlots({ redis, config }: ApiServices): TakeSlot {
  const limiter = createLimiter(redis, config, 'sign-in', config.limitSignIn);
  const links = createLimiter(redis, config, 'link-mails', config.limitLinkMails, DAY / SECOND);
  return async (req, what) => {
    await limiter.take(callerBucket(req));
    if (what === 'link') await links.take(callerBucket(req));
  };
}
