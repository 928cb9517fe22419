import type { Request } from 'express';
import {
  type Answer,
  answerOnce,
  type KeyScope,
} from '../../shared/messaging/unit-of-work/idempotency.ts';
import type { UnitOfWork } from '../../shared/messaging/unit-of-work/unit-of-work.ts';
import { invalid } from '../../shared/platform/errors.ts';
import type { Reply } from './reply.ts';

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

/**
 * Runs a write once per idempotency key, in one transaction with its response. A retry gets the same response, marked
 * `Idempotent-Replayed`.
 * @param whom the id of the partner or user; each has a bounded share of the transactions
 * @throws conflict (`key_reused`) when the key was used with another body, and what `work` throws
 */
export async function replyOnce(
  context: Parameters<typeof answerOnce>[0],
  whom: string,
  scope: KeyScope,
  requestBody: unknown,
  work: (uow: UnitOfWork) => Promise<Answer>,
): Promise<Reply> {
  const { status, body, replayed } = await answerOnce(context, whom, scope, requestBody, work);
  return { status, text: body, ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }) };
}
