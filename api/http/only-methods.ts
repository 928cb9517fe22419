import type { RequestHandler } from 'express';
import { fail } from '../../shared/platform/errors.ts';

/** For what comes to a path by another method than the ones that it answers: 405 with `Allow` (RFC 9110). */
export function onlyMethods(allowed: readonly string[]): RequestHandler {
  const listed = allowed.join(', ');
  return (_req, res, next) => {
    res.set('Allow', listed);
    next(fail('method_not_allowed', { message: `This path answers ${listed}.` }));
  };
}
