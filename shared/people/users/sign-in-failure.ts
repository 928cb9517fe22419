import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import { deviceOf } from './device.ts';
import * as store from './sign-in-failure.store.ts';

interface Deps {
  db: Database;
  clock: Clock;
}

/** Where somebody signs in from, as the session, the audit trail and the list of failures keep it. */
export interface SignInOrigin {
  address: string | null;
  userAgent: string | null;
}

/** The origin of a caller without a browser, such as a command. */
export const UNKNOWN_ORIGIN: SignInOrigin = { address: null, userAgent: null };

/**
 * Keeps a failed sign-in, at an account or (null) at none, for SIGN_IN_FAILURE_KEEP_DAYS. What was typed is not kept:
 * it may be anybody's address, or a password in the wrong field.
 */
export async function recordFailure(
  { db, clock }: Deps,
  failure: { userId: string | null; reason: store.FailureReason; from?: SignInOrigin | undefined },
): Promise<void> {
  const { userId, reason, from = UNKNOWN_ORIGIN } = failure;
  await store.insertFailure.run(db.knex, { userId, reason, ...from, at: clock.now() });
}

/** A failed sign-in, as the staff sees it. */
export interface ShownFailure extends store.SignInFailure {
  /** Such as `Firefox on Linux`. */
  device: string | null;
}

/** A page of the failed sign-ins, newest first; at one account, or at any (null). */
export function listFailures(
  { db }: Pick<Deps, 'db'>,
  userId: string | null,
  { from, to, after, limit }: Omit<ListPage<never, number>, 'sort'>,
): Promise<Page<ShownFailure, number>> {
  const read = async (most: number) => {
    const wanted = { userId, from, to, after, limit: most };
    const rows = await store.selectFailures.all(db.knex, wanted);
    return rows.map((row) => ({ ...row, device: deviceOf(row.userAgent) }));
  };
  return readPage(limit, read, idOf);
}
