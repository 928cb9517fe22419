import { createHash } from 'node:crypto';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { addMs, type Clock, DAY, MINUTE, SECOND } from '../../platform/clock.ts';
import { fail } from '../../platform/errors.ts';
import * as store from './sign-in-attempt.store.ts';

/** So many attempts in a row cost no wait: people mistype. */
const FREE = 5;
const FIRST_WAIT_MS = 15 * SECOND;
const LONGEST_WAIT_MS = 5 * MINUTE;
/** After this without an attempt, those before count no longer. */
export const FORGOTTEN_MS = DAY;

interface Deps {
  db: Database;
  clock: Clock;
}

/** What is guessed at: the password of an address, whether it has an account or not, or the codes of a user. */
export type GuessedAt = `password:${string}` | `code:${string}`;

/**
 * Takes one attempt at a secret. After five in a row each makes the next one wait, up to five minutes, wherever they
 * come from. Nobody is shut out for good, and a new password ends the wait.
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

/** Forgets the failed attempts at a secret: somebody knew it, or it is another one now. */
export async function clearAttempts({ db }: Pick<Deps, 'db'>, at: GuessedAt): Promise<void> {
  await store.deleteAttempts.run(db.knex, { subject: digest(at) });
}

/** Whatever somebody typed as an address is kept as a digest alone. */
function digest(at: GuessedAt): Buffer {
  return createHash('sha256').update(at).digest();
}
