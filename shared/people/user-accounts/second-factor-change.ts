import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { revokeGrantsBut } from '../oauth/oauth-records.ts';
import type { ProvenSession } from '../users/factor-change.ts';
import { confirmAuthenticator, removeAuthenticator } from '../users/own-authenticator.ts';
import { addPasskey, removePasskey } from '../users/own-passkeys.ts';
import type { PasskeyAnswer } from '../users/passkey.ts';
import { removeSecondFactor } from '../users/second-factor.ts';
import type { SignInOrigin } from '../users/sign-in-failure.ts';
import { lockAccount } from '../users/user-account.ts';
import type { OwnSession } from '../users/user-session.ts';
import { endAllAccess } from './user-access.ts';

// A change of a second factor ends the user's other sessions and the OAuth grants given in them, so that an intruder
// who got in earlier loses access.

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
  secrets: SecretBox;
  tokens: SignedTokens;
}

/** Like {@link addPasskey}, and revokes the grants given in other sessions. */
export function addOwnPasskey(
  deps: Omit<Deps, 'secrets'>,
  session: ProvenSession,
  answer: PasskeyAnswer & { name: string },
): Promise<readonly string[]> {
  return addPasskey({ ...deps, revokeGrantsBut }, session, answer);
}

/** Like {@link removePasskey}, and revokes the grants given in other sessions. */
export function removeOwnPasskey(
  deps: Pick<Deps, 'db' | 'clock'>,
  session: OwnSession,
  id: string,
): Promise<void> {
  return removePasskey({ ...deps, revokeGrantsBut }, session, id);
}

/** Like {@link confirmAuthenticator}, and revokes the grants given in other sessions. */
export function confirmOwnAuthenticator(
  deps: Pick<Deps, 'db' | 'clock' | 'secrets'>,
  session: OwnSession,
  code: string,
): Promise<readonly string[]> {
  return confirmAuthenticator({ ...deps, revokeGrantsBut }, session, code);
}

/** Like {@link removeAuthenticator}, and revokes the grants given in other sessions. */
export function removeOwnAuthenticator(
  deps: Deps,
  session: OwnSession,
  given: { code: string; from: SignInOrigin },
): Promise<void> {
  return removeAuthenticator({ ...deps, revokeGrantsBut }, session, given);
}

/**
 * Removes the app and passkeys of an account whose owner lost them, and ends its sessions and grants. Does nothing if
 * it has no second factor. @throws not_found, validation_error
 */
export async function resetSecondFactor(
  { db }: { db: Database },
  actor: string,
  who: string,
): Promise<string> {
  return db.transact(async (uow) => {
    const user = await lockAccount(uow, who);
    if (await removeSecondFactor(uow, user, actor)) await endAllAccess(uow, user.id);
    return user.id;
  });
}
