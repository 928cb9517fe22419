import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict } from '../../platform/errors.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { revokeGrants } from '../oauth/oauth-records.ts';
import { endLinks } from '../users/account-link.ts';
import { assertAdmin, assertAdminLeft, lockStaffAdmins } from '../users/last-admin.ts';
import { hashNewPassword } from '../users/password.ts';
import { clearAttempts } from '../users/sign-in-attempt.ts';
import type { StaffRole } from '../users/user.ts';
import {
  endSessions,
  lockAccount,
  setDisabledAt,
  setPasswordHash,
  setStaffRole,
} from '../users/user-account.ts';

interface Deps {
  db: Database;
  clock: Clock;
}

/**
 * The numbers of ended sessions (browsers, and bearer tokens of the operations API) and of revoked OAuth grants.
 */
export interface EndedAccess {
  sessions: number;
  grants: number;
}

/**
 * Disables an account: nobody can sign in with it, and its sessions and grants end. Doing it twice changes nothing.
 * `who` is an id or an email address.
 * @throws not_found, validation_error, conflict (one's own account, the last admin of staff), forbidden (an admin's)
 */
export async function disableUser(
  { db, clock, config }: Deps & { config: Config },
  actor: string,
  who: string,
): Promise<EndedAccess & { userId: string; disabledAt: Date }> {
  const now = clock.now();
  return db.transact(async (uow) => {
    const admins = await lockStaffAdmins(uow, config);
    const { id: userId, staffRole, demo, disabledAt: since } = await lockAccount(uow, who);
    if (userId === actor) {
      throw conflict('invalid_state', 'You cannot disable your own account. Ask a colleague.');
    }
    if (staffRole === 'admin') assertAdmin(admins, actor);
    // The demo's admin may always be disabled, because production refuses to start with it.
    if (!demo) assertAdminLeft(admins, userId);
    if (since) return { userId, disabledAt: since, sessions: 0, grants: 0 };
    await setDisabledAt(uow, userId, now);
    const ended = await endAllAccess(uow, userId);
    const before = { status: 'active' };
    const after = { status: 'disabled', ...ended };
    await recordAudit(uow, { actor, action: 'user:disable', subject: userId, before, after });
    return { userId, disabledAt: now, ...ended };
  });
}

/**
 * Enables a disabled account. Its ended sessions and grants stay ended, so the user has to sign in again.
 * @throws not_found, validation_error, forbidden (an admin's)
 */
export async function enableUser(
  { db, config }: Pick<Deps, 'db'> & { config: Config },
  actor: string,
  who: string,
): Promise<string> {
  return db.transact(async (uow) => {
    const admins = await lockStaffAdmins(uow, config);
    const { id: subject, staffRole, disabledAt } = await lockAccount(uow, who);
    if (staffRole === 'admin') assertAdmin(admins, actor);
    if (disabledAt) {
      await setDisabledAt(uow, subject, null);
      const change = { before: { status: 'disabled' }, after: { status: 'active' } };
      await recordAudit(uow, { actor, action: 'user:enable', subject, ...change });
    }
    return subject;
  });
}

/**
 * Sets a new password. Sessions of the old one end, and clients have to be authorized again. @throws not_found,
 * validation_error
 */
export async function setPassword(
  { db }: Deps,
  actor: string,
  input: { who: string; password: string },
): Promise<EndedAccess & { userId: string }> {
  // Hashed before the transaction, because it takes a quarter of a second.
  const hash = await hashNewPassword(input.password);
  const changed = await db.transact(async (uow) => {
    const { id: userId, email } = await lockAccount(uow, input.who);
    await setPasswordHash(uow, userId, hash);
    const ended = await endAllAccess(uow, userId);
    const entry = { actor, action: 'user:set-password', subject: userId, after: { ...ended } };
    await recordAudit(uow, entry);
    await endLinks(uow, { kind: 'password-reset', email });
    return { email, userId, ...ended };
  });
  const { email, ...answer } = changed;
  await clearAttempts({ db }, `password:${email}`);
  return answer;
}

/**
 * Changes the staff role of an account, or removes it from staff (null). Open sessions follow at once.
 * @throws not_found, validation_error, conflict (one's own account, the last admin), forbidden (only admins may make
 *   or change admins)
 */
export async function setStaffRoleOf(
  { db, config }: Pick<Deps, 'db'> & { config: Config },
  actor: string,
  { who, staffRole }: { who: string; staffRole: StaffRole | null },
): Promise<string> {
  return db.transact(async (uow) => {
    const admins = await lockStaffAdmins(uow, config);
    const { id: subject, email, staffRole: former } = await lockAccount(uow, who);
    if (subject === actor) {
      throw conflict('invalid_state', 'You cannot change your own role. Ask a colleague.');
    }
    if (former === 'admin' || staffRole === 'admin') assertAdmin(admins, actor);
    if (staffRole === former) return subject;
    assertAdminLeft(admins, subject);
    await setStaffRole(uow, subject, staffRole);
    await endLinks(uow, { kind: 'invitation', email });
    const change = { before: { staffRole: former }, after: { staffRole } };
    await recordAudit(uow, { actor, action: 'staff:set-role', subject, ...change });
    return subject;
  });
}

/** Signs a user out everywhere. OAuth grants stay. @throws not_found, validation_error */
export async function revokeSessions(
  { db }: Deps,
  actor: string,
  who: string,
): Promise<{ userId: string; sessions: number }> {
  return db.transact(async (uow) => {
    const { id: subject } = await lockAccount(uow, who);
    const after = { sessions: await endSessions(uow, subject) };
    await recordAudit(uow, { actor, action: 'session:revoke-all', subject, after });
    return { userId: subject, ...after };
  });
}

/**
 * Revokes a user's grants to one OAuth client or to all (null), so that their tokens are rejected.
 * @throws not_found, validation_error
 */
export async function revokeUserGrants(
  { db }: Deps,
  actor: string,
  input: { who: string; clientId: string | null },
): Promise<{ userId: string; grants: number }> {
  const { who, clientId } = input;
  return db.transact(async (uow) => {
    const { id: userId } = await lockAccount(uow, who);
    const grants = await revokeGrants(uow, { userId, clientId });
    const after = { grants, ...(clientId !== null && { client: clientId }) };
    await recordAudit(uow, { actor, action: 'grant:revoke', subject: userId, after });
    return { userId, grants };
  });
}

/** Ends all sessions and OAuth grants of an account. */
export async function endAllAccess(uow: UnitOfWork, userId: string): Promise<EndedAccess> {
  const sessions = await endSessions(uow, userId);
  return { sessions, grants: await revokeGrants(uow, { userId, clientId: null }) };
}
