import type { Database } from '../../messaging/unit-of-work/database.ts';
import { fail } from '../../platform/errors.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { revokeGrantsBut, revokeGrantsOfSession } from '../oauth/oauth-records.ts';
import { endSession, endSessionsBut } from '../users/user-session.ts';
import type { EndedAccess } from './user-access.ts';

/** Ends one of a user's own sessions and the OAuth grants given in it. @throws not_found */
export async function endOwnSession(
  { db }: { db: Database },
  { userId, id }: { userId: string; id: string },
): Promise<void> {
  await db.transact(async (uow) => {
    if (!(await endSession(uow, { userId, id }))) {
      throw fail('not_found', { message: 'This session has already ended.' });
    }
    const after = { grants: await revokeGrantsOfSession(uow, { userId, sessionId: id }) };
    await recordAudit(uow, { actor: userId, action: 'session:revoke', subject: userId, after });
  });
}

/**
 * Ends a user's own sessions except that of `token`, and the OAuth grants given in any other session, even one that
 * ended long ago, since nobody knows which machines those grants are on.
 */
export async function endOtherSessions(
  { db }: { db: Database },
  { userId, token }: { userId: string; token: string },
): Promise<EndedAccess> {
  return db.transact(async (uow) => {
    const sessions = await endSessionsBut(uow, { userId, token });
    const after = { sessions, grants: await revokeGrantsBut(uow, { userId, token }) };
    const entry = { actor: userId, subject: userId, after };
    await recordAudit(uow, { ...entry, action: 'session:revoke-others' });
    return after;
  });
}
