import type { Request } from 'express';
import { DAY, SECOND } from '../../../shared/platform/clock.ts';
import type { ApiServices } from '../../compose-api.ts';
import { callerBucket, createLimiter } from '../../http/rate-limit.ts';

/** Counts an attempt of a caller; one to have a link mailed counts for its day, too. @throws rate_limited */
export type TakeSlot = (req: Request, what?: 'attempt' | 'link') => Promise<void>;

/** The limits of all that a stranger may try under `/account`, in one bucket with the other ways to sign in. */
export function createSignInSlots({ redis, config }: ApiServices): TakeSlot {
  const limiter = createLimiter(redis, config, 'sign-in', config.limitSignIn);
  const links = createLimiter(redis, config, 'link-mails', config.limitLinkMails, DAY / SECOND);
  return async (req, what) => {
    await limiter.take(callerBucket(req));
    if (what === 'link') await links.take(callerBucket(req));
  };
}
