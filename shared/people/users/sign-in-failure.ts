import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import { deviceOf } from './device.ts';
import * as store from './sign-in-failure.store.ts';

interface Deps {
  db: Database;
  clock: Clock;
}

/** The origin of a sign-in, as sessions, the audit trail and failures store it. */
export interface SignInOrigin {
  address: string | null;
  userAgent: string | null;
}

/** The origin of a caller without a browser, such as a command. */
export const UNKNOWN_ORIGIN: SignInOrigin = { address: null, userAgent: null };

/**
 * Records a failed sign-in, to an account or to none (null), for SIGN_IN_FAILURE_KEEP_DAYS. The typed input is not
 * stored, since it may be somebody else's address or a password in the wrong field.
 */
export async function recordFailure(
  { db, clock }: Deps,
  failure: { userId: string | null; reason: store.FailureReason; from?: SignInOrigin | undefined },
): Promise<void> {
  const { userId, reason, from = UNKNOWN_ORIGIN } = failure;
  await store.insertFailure.run(db.knex, { userId, reason, ...from, at: clock.now() });
}

/** A failed sign-in as staff see it. */
export interface ShownFailure extends store.SignInFailure {
  /** Such as `Firefox on Linux`. */
  device: string | null;
}

/** Lists a page of failed sign-ins, newest first, for one account or any (null). */
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
