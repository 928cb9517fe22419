import type { Request } from 'express';
import { invalid } from '../../shared/platform/errors.ts';

const MAX_LENGTH = 255;

/** Returns the `Idempotency-Key` of a request; undefined without the header. @throws validation_error */
export function idempotencyKeyOf(req: Request): string | undefined {
  const key = req.get('Idempotency-Key');
  if (key === undefined) return undefined;
  if (key === '' || key.length > MAX_LENGTH) {
    throw invalid([
      { path: 'Idempotency-Key', message: `must have 1 to ${MAX_LENGTH} characters` },
    ]);
  }
  return key;
}
