import { createHash } from 'node:crypto';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { addMs, type Clock, DAY, MINUTE, SECOND } from '../../platform/clock.ts';
import { fail } from '../../platform/errors.ts';
import * as store from './sign-in-attempt.store.ts';

/** The number of attempts in a row after which waiting begins, since people mistype. */
const FREE = 5;
const FIRST_WAIT_MS = 15 * SECOND;
const LONGEST_WAIT_MS = 5 * MINUTE;
/** How long without an attempt until earlier ones no longer count. */
export const FORGOTTEN_MS = DAY;

interface Deps {
  db: Database;
  clock: Clock;
}

/** The target of guesses: the password of an address, whether or not it has an account, or the codes of a user. */
export type GuessedAt = `password:${string}` | `code:${string}`;

/**
 * Counts one attempt at a secret. After five in a row, each attempt makes the next one wait, up to five minutes,
 * whatever its origin. Nobody is locked out permanently, and a new password ends the wait.
 * @throws rate_limited with the seconds to wait
 */
export async function takeAttempt({ db, clock }: Deps, at: GuessedAt): Promise<void> {
  const subject = digest(at);
  const now = clock.now();
  const taken = await store.upsertAttempt.first(db.knex, {
    subject,
    now,
    forgottenBefore: addMs(now, -FORGOTTEN_MS),
    free: FREE,
    firstSeconds: FIRST_WAIT_MS / SECOND,
    mostSeconds: LONGEST_WAIT_MS / SECOND,
  });
  if (taken) return;
  const blocked = await store.selectBlocked.first(db.knex, { subject });
  const waitMs = (blocked?.until.getTime() ?? 0) - now.getTime();
  const seconds = Math.max(1, Math.ceil(waitMs / SECOND));
  throw fail('rate_limited', {
    message: `Too many failed attempts. Wait ${seconds} seconds, then try again.`,
    retryAfterSeconds: seconds,
  });
}

/** Deletes the failed attempts at a secret, after somebody has entered it correctly or it has changed. */
export async function clearAttempts({ db }: Pick<Deps, 'db'>, at: GuessedAt): Promise<void> {
  await store.deleteAttempts.run(db.knex, { subject: digest(at) });
}

/** Hashes the target, so that a typed address is stored only as a digest. */
function digest(at: GuessedAt): Buffer {
  return createHash('sha256').update(at).digest();
}
