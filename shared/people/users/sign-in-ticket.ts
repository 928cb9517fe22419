import type { Database } from '../../messaging/unit-of-work/database.ts';
import { addMs, type Clock, MINUTE } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { fail } from '../../platform/errors.ts';
import { askForPasskey, listPasskeys } from './passkey.ts';
import { CODE_WRONG, type SecondFactorProof, verifySecondFactor } from './second-factor.ts';
import type { SignInOrigin } from './sign-in-failure.ts';
import type { User } from './user.ts';
import { findActiveUser } from './user-account.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
  secrets: SecretBox;
  tokens: SignedTokens;
}

/** A user, and the version for the session of this sign-in. */
export type AuthenticatedUser = User & { sessionVersion: number };

const PURPOSE = 'second-factor';
const LIFETIME_MS = 5 * MINUTE;

/** Creates a proof that somebody just gave the right password. Without a second factor, it grants nothing. */
export function createTicket(
  { tokens, clock }: Pick<Deps, 'tokens' | 'clock'>,
  { id, sessionVersion }: AuthenticatedUser,
): Promise<string> {
  const expiresAt = addMs(clock.now(), LIFETIME_MS);
  return tokens.sign(PURPOSE, { sub: id, version: sessionVersion }, expiresAt);
}

/**
 * Returns the user who signs in with this ticket and a second factor.
 * @throws invalid_token (the code is wrong, or the ticket no longer valid), rate_limited
 */
export async function redeemTicket(
  deps: Deps,
  {
    ticket,
    proof,
    from,
  }: { ticket: string; proof: SecondFactorProof; from?: SignInOrigin | undefined },
): Promise<AuthenticatedUser> {
  const claims = await deps.tokens.verify(PURPOSE, ticket);
  const user =
    typeof claims === 'object' ? await findActiveUser(deps, String(claims.sub)) : undefined;
  if (!user || typeof claims !== 'object' || claims.version !== user.sessionVersion) {
    throw fail('invalid_token', { message: 'This took too long. Sign in again.' });
  }
  if (!(await verifySecondFactor(deps, user, proof, from))) {
    throw fail('invalid_token', { message: CODE_WRONG });
  }
  const { id, email, role, staffRole, sessionVersion } = user;
  return { id, email, role, staffRole, sessionVersion };
}

/** Creates the options to ask a browser for a passkey of the ticket's user; undefined if there is none. */
export async function passkeyForTicket(deps: Deps, ticket: string) {
  const claims = await deps.tokens.verify(PURPOSE, ticket);
  return typeof claims === 'object' ? passkeyForUser(deps, String(claims.sub)) : undefined;
}

/** Creates the options to ask a browser for a passkey of this user; undefined if there is none. */
export async function passkeyForUser(deps: Deps, userId: string) {
  const passkeys = await listPasskeys(deps, userId);
  return passkeys.length > 0 ? askForPasskey(deps, userId) : undefined;
}
