import type { RequestHandler } from 'express';
import type { Config } from '../../shared/platform/config.ts';
import { fail } from '../../shared/platform/errors.ts';

/** Refuses plain HTTP in production; TLS ends at a proxy that TRUST_PROXY names. */
export function requireHttps(config: Config): RequestHandler {
  return (req, _res, next) => {
    if (config.nodeEnv !== 'production' || req.secure) return next();
    next(fail('forbidden', { message: 'Use HTTPS.' }));
  };
}
