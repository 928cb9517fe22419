import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict } from '../../platform/errors.ts';
import { type AccountLink, consumeLink, createLink, deadLink, readLink } from './account-link.ts';
import { hashNewPassword } from './password.ts';
import { verifyEmailMail } from './user.mails.ts';
import { canonicalEmail, type User } from './user.ts';
import { findUser, openAccount } from './user-account.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
  tokens: SignedTokens;
}

/**
 * Mails a link to open an account for a person's own domains. The caller does not learn whether the address already has
 * an account or got too many links within an hour. @throws validation_error, conflict (mail is off)
 */
export async function requestAccount(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  given: string,
): Promise<void> {
  const email = canonicalEmail(given);
  if (!config.mail) throw conflict('invalid_state', 'Nobody can sign up while mail is off.');
  await db.transact(async (uow) => {
    const link = await createLink(uow, { kind: 'verify-email', email });
    if (!link) return;
    const expiresAt = link.expiresAt.toISOString();
    const data = { requestId: link.id, path: '/account/join/verify', expiresAt };
    uow.mails.add(verifyEmailMail, { to: { email }, of: null, data });
  });
}

/** Returns the address of the account that a link opens, and whether that account already exists. @throws not_found */
export async function readAccountRequest(
  deps: Deps,
  token: string,
): Promise<{ email: string; known: boolean }> {
  const { email } = await readOwnersLink(deps, token);
  return { email, known: (await findUser(deps, email)) !== undefined };
}

/**
 * Opens the account of a link with this password. Does not sign in.
 * @throws not_found (the link), validation_error (the password), conflict (the account already exists)
 */
export async function completeAccount(
  deps: Deps,
  { token, password }: { token: string; password: string },
): Promise<User> {
  const link = await readOwnersLink(deps, token);
  const { email } = link;
  const passwordHash = await hashNewPassword(password);
  return deps.db.transact(async (uow) => {
    const user = await openAccount(uow, { email, passwordHash });
    await consumeLink(uow, link);
    return user;
  });
}

/** Reads the link for an owner's account. A link of the same kind that names a partner opens a partner account. */
async function readOwnersLink(deps: Deps, token: string): Promise<AccountLink> {
  const link = await readLink(deps, 'verify-email', token);
  if (link.partnerName !== null) throw deadLink();
  return link;
}
