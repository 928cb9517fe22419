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
 * Sends this address a link to choose a new password. Without an account, or with a disabled one, the mail says so, and
 * after three within an hour none is sent; the caller learns none of it. The audit trail, which only grows, tells of
 * accounts alone: anybody can make up addresses. @throws validation_error when it is no address
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

/** Whose password the link changes. @throws not_found */
export async function readPasswordReset(deps: Deps, token: string): Promise<{ email: string }> {
  return readLink(deps, 'password-reset', token);
}

/**
 * Gives the account of the link another password; all its sessions and grants end.
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
 * Changes one's own password; all sessions and grants end, the one that asks included. Guessing the present one is
 * slowed down as it is at the sign-in. @throws validation_error (either password), rate_limited, forbidden
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
