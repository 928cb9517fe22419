import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { addMs, type Clock, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict } from '../../platform/errors.ts';
import type { Database } from './database.ts';
import { type Answer, insertKey, type KeyScope, selectAnswer } from './idempotency.store.ts';
import type { UnitOfWork } from './unit-of-work.ts';

export type { Answer, KeyScope };

/**
 * Runs `work` at most once for an idempotency key, in one transaction with the answer that it gives: a crash
 * leaves either nothing or both. Only successes are stored; when `work` throws, the key is free again.
 * @param whom the id of the partner or user, who has a bounded share of the transactions
 * @throws conflict (`key_reused`) when the key was used with another body
 */
export async function answerOnce(
  runtime: { db: Database; clock: Clock; config: Config },
  whom: string,
  scope: KeyScope,
  requestBody: unknown,
  work: (uow: UnitOfWork) => Promise<Answer>,
): Promise<Answer & { replayed: boolean }> {
  const fingerprint = fingerprintOf(requestBody);
  try {
    return await runtime.db.transactFor(whom, async (uow) => {
      const { realNow: now } = uow;
      const expiresAt = addMs(now, runtime.config.idempotencyDays * DAY);
      // Most keys are new, so `work` begins beside this. Its statements come after it: where another request has the
      // key, they wait until that one has ended.
      const bound = insertKey.run(uow.sql, { ...scope, fingerprint, now, expiresAt });
      const answer = await whenBound(bound, work(uow));
      uow.answer(scope, answer);
      return { ...answer, replayed: false };
    });
  } catch (error) {
    if (!(error instanceof KeyIsTaken)) throw error;
  }
  const stored = await selectAnswer.first(runtime.db.knex, scope);
  if (!stored) throw new Error('an idempotency key vanished between two statements');
  if (!stored.fingerprint.equals(fingerprint)) {
    throw conflict(
      'key_reused',
      'This Idempotency-Key was used with another body. Send a new key for a new operation.',
    );
  }
  return { status: stored.status, body: stored.body, replayed: true };
}

/** Rolls back what a request did beside another one with its key. */
class KeyIsTaken extends Error {}

/** The answer of `work`. @throws KeyIsTaken, whatever `work` came to, when the key was bound before */
async function whenBound<T>(bound: Promise<number>, work: Promise<T>): Promise<T> {
  const [binding, worked] = await Promise.allSettled([bound, work]);
  if (binding.status === 'rejected') throw binding.reason;
  if (binding.value === 0) throw new KeyIsTaken();
  if (worked.status === 'rejected') throw worked.reason;
  return worked.value;
}

/** SHA-256 of the canonical form (RFC 8785): bodies that differ only in key order and white space are equal. */
function fingerprintOf(body: unknown): Buffer {
  return createHash('sha256')
    .update(canonicalize(body) ?? '')
    .digest();
}
