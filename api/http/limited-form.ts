import type { RequestHandler } from 'express';
import type { ApiServices } from '../compose-api.ts';
import { formBody, formFields } from './form-body.ts';
import { callerBucket, createLimiter } from './rate-limit.ts';

/**
 * What a form of a page without sign-in is sent through: readable, and from nobody who sends more than `limit` a minute;
 * `name` is what is counted. Its fields are at `formFields`. @throws rate_limited, validation_error
 */
export function limitedForm(
  { redis, config }: Pick<ApiServices, 'redis' | 'config'>,
  name: string,
  limit: number,
): RequestHandler[] {
  const limiter = createLimiter(redis, config, name, limit);
  return [
    async (req, _res, next) => {
      await limiter.take(callerBucket(req));
      next();
    },
    formBody(),
    (req, _res, next) => {
      formFields(req);
      next();
    },
  ];
}
