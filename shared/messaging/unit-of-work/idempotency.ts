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
 * Runs `work` at most once for an idempotency key, in one transaction with storing its response: a crash leaves
 * either both or neither. A retry gets the stored response. Only successes are stored; if `work` throws, the key is free
 * again.
 * @param whom the id of the partner or user, which has a bounded share of the transactions
 * @throws conflict (`key_reused`) if the key was used with another body
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
      // Most keys are new, so `work` starts at once. Its statements queue behind this insert: if another request holds
      // the key, they wait until that request ends.
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
      'This Idempotency-Key was used with a different body. Send a new key for a new operation.',
    );
  }
  return { status: stored.status, text: stored.body, replayed: true };
}

/** Rolls back a request whose key another request has taken. */
class KeyIsTaken extends Error {}

/** Returns the result of `work`. @throws KeyIsTaken if the key was already bound, whatever `work` did */
async function whenBound<T>(bound: Promise<number>, work: Promise<T>): Promise<T> {
  const [binding, worked] = await Promise.allSettled([bound, work]);
  if (binding.status === 'rejected') throw binding.reason;
  if (binding.value === 0) throw new KeyIsTaken();
  if (worked.status === 'rejected') throw worked.reason;
  return worked.value;
}

/** Hashes the canonical form (RFC 8785), so that key order and white space make no difference. */
function fingerprintOf(body: unknown): Buffer {
  return createHash('sha256')
    .update(canonicalize(body) ?? '')
    .digest();
}
