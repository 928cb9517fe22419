import type { RequestHandler } from 'express';
import type { ApiServices } from '../compose-api.ts';
import { formBody, formFields } from './form-body.ts';
import { callerBucket, createLimiter } from './rate-limit.ts';

/**
 * Returns the handlers for forms on pages without sign-in: they limit each address to `limit` requests a minute,
 * counted under `name`, and read the form. Read its fields with `formFields`. @throws rate_limited, validation_error
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
