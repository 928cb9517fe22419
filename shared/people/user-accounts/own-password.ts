import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { invalid } from '../../platform/errors.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { consumeLink, createLink, endLinks, readLink } from '../users/account-link.ts';
import { hashNewPassword } from '../users/password.ts';
import { clearAttempts } from '../users/sign-in-attempt.ts';
import type { SignInOrigin } from '../users/sign-in-failure.ts';
import { passwordResetMail } from '../users/user.mails.ts';
import { canonicalEmail, type User } from '../users/user.ts';
import {
  findActiveUser,
  findUser,
  lockAccount,
  lockActiveAccount,
  setPasswordHash,
} from '../users/user-account.ts';
import { authenticateUser } from '../users/user-session.ts';
import { endAllAccess } from './user-access.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
  tokens: SignedTokens;
}

/**
 * Mails a link to choose a new password. Without an active account, the mail says that nobody can sign in with the
 * address. After three mails within an hour, none is sent. The caller learns none of this. The append-only audit trail
 * records only existing accounts, since anybody can invent addresses. @throws validation_error for an invalid address
 */
export async function requestPasswordReset(
  deps: Deps,
  input: { email: string; from: SignInOrigin },
): Promise<void> {
  const email = canonicalEmail(input.email);
  const user = await findUser(deps, email);
  const active = await findActiveUser(deps, user?.id ?? '');
  await deps.db.transact(async (uow) => {
    const link = await createLink(uow, { kind: 'password-reset', email });
    if (!link) return;
    const { id: requestId, expiresAt } = link;
    const path = '/account/new-password';
    const noAccount = active === undefined;
    const data = { requestId, path, expiresAt: expiresAt.toISOString(), noAccount };
    uow.mails.add(passwordResetMail, { to: { email }, of: null, data });
    const subject = active?.id ?? null;
    const entry = { actor: 'sign-in', action: 'user:reset-requested', subject };
    await recordAudit(uow, { ...entry, after: { ...input.from } });
  });
}

/** Returns the address of the account whose password a link changes. @throws not_found */
export async function readPasswordReset(deps: Deps, token: string): Promise<{ email: string }> {
  return readLink(deps, 'password-reset', token);
}

/**
 * Sets a new password for the account of a link, and ends all its sessions and grants.
 * @throws not_found (used or expired), validation_error (the password), forbidden (the account is disabled)
 */
export async function resetPassword(
  deps: Deps,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const link = await readLink(deps, 'password-reset', token);
  const hash = await hashNewPassword(password);
  await deps.db.transact(async (uow) => {
    const { id: subject } = await lockActiveAccount(uow, link.email);
    await consumeLink(uow, link);
    await setPasswordHash(uow, subject, hash);
    const after = { ...(await endAllAccess(uow, subject)) };
    await recordAudit(uow, { actor: subject, action: 'user:reset', subject, after });
  });
  await clearAttempts(deps, `password:${link.email}`);
}

/**
 * Changes the user's own password, and ends all sessions, including the current one, and grants. Guessing the current
 * password is slowed down as at sign-in. @throws validation_error (either password), rate_limited, forbidden
 */
export async function changeOwnPassword(
  deps: Deps,
  user: User,
  { present, next, from }: { present: string; next: string; from: SignInOrigin },
): Promise<void> {
  const { email } = user;
  const known = await authenticateUser(deps, { email, password: present, from });
  if (!known) throw invalid([{ path: '/present', message: 'is not your current password' }]);
  const hash = await hashNewPassword(next);
  await deps.db.transact(async (uow) => {
    const { id: subject } = await lockAccount(uow, user.id);
    await setPasswordHash(uow, subject, hash);
    await endLinks(uow, { kind: 'password-reset', email });
    const after = { ...(await endAllAccess(uow, subject)) };
    await recordAudit(uow, { actor: subject, action: 'user:change-password', subject, after });
  });
}
