import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { addMs, type Clock, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { conflict } from '../../platform/errors.ts';
import {
  deleteExpired,
  insertKey,
  type KeyScope,
  readAnswer,
  storeAnswer,
} from './idempotency.store.ts';

export type { KeyScope };

/** An answer as it goes out: the exact text, so that a replay is equal byte for byte. */
export interface Answer {
  status: number;
  body: string;
}

/**
 * Runs `work` at most once for an idempotency key, in one transaction with the answer that it keeps: a crash
 * leaves either nothing or both. Only successes are stored; when `work` throws, the key is free again.
 * Work that takes a lock last keeps its answer before, so that others wait for one statement less.
 * @param whom the id of the partner or user, who has a bounded share of the transactions
 * @throws conflict (`key_reused`) when the key was used with another body
 */
export async function answerOnce(
  runtime: { db: Database; clock: Clock; config: Config },
  whom: string,
  scope: KeyScope,
  requestBody: unknown,
  work: (tx: Tx, keep: (answer: Answer) => Promise<void>) => Promise<void>,
): Promise<Answer & { replayed: boolean }> {
  const fingerprint = fingerprintOf(requestBody);
  return runtime.db.transactFor(whom, async (tx) => {
    const now = runtime.clock.now();
    const expiresAt = addMs(now, runtime.config.idempotencyDays * DAY);
    if (await insertKey(tx, scope, fingerprint, { now, expiresAt })) {
      const kept: Answer[] = [];
      await work(tx, async (answer) => {
        kept.push(answer);
        await storeAnswer(tx, scope, answer);
      });
      const [answer] = kept;
      if (!answer) throw new Error('the work under an idempotency key kept no answer');
      return { ...answer, replayed: false };
    }
    const stored = await readAnswer(tx, scope);
    if (!stored) throw new Error('an idempotency key vanished between two statements');
    if (!stored.fingerprint.equals(fingerprint)) {
      throw conflict(
        'key_reused',
        'This Idempotency-Key was used with another body. Send a new key for a new operation.',
      );
    }
    return { status: stored.status, body: stored.body, replayed: true };
  });
}

/** SHA-256 of the canonical form (RFC 8785): key order and white space do not make a body another one. */
function fingerprintOf(body: unknown): Buffer {
  return createHash('sha256')
    .update(canonicalize(body) ?? '')
    .digest();
}

/** Deletes up to `limit` idempotency keys past their time; returns how many. */
export async function pruneIdempotencyKeys(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  const now = clock.now();
  return db.transact((tx) => deleteExpired(tx, now, limit));
}
