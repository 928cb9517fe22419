import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { fail } from '../../platform/errors.ts';
import {
  assertFresh,
  type GrantRevocation,
  lockOwnAccount,
  noteFactorChange,
  type ProvenSession,
} from './factor-change.ts';
import { deletePasskey, writePasskey } from './passkey.store.ts';
import { type PasskeyAnswer, readNewPasskey } from './passkey.ts';
import { selectHasSecondFactor } from './second-factor.store.ts';
import { dropUnneededCodes, makeRecoveryCodes } from './second-factor.ts';
import type { OwnSession } from './user-session.ts';

interface Deps extends GrantRevocation {
  db: Database;
  clock: Clock;
  config: Config;
  tokens: SignedTokens;
}

/**
 * Adds a passkey to an account. If it is the first second factor, returns recovery codes, which can be read only now.
 * @throws invalid_token (the browser's response), conflict (`already_exists`)
 */
export async function addPasskey(
  deps: Deps,
  session: ProvenSession,
  answer: PasskeyAnswer & { name: string },
): Promise<readonly string[]> {
  const { user } = session;
  const passkey = await readNewPasskey(deps, user, answer);
  return deps.db.transact(async (uow) => {
    const { userId } = await lockOwnAccount(uow, session);
    const { found } = await selectHasSecondFactor.one(uow.sql, { userId });
    await writePasskey(uow.sql, passkey);
    const codes = found ? [] : await makeRecoveryCodes(uow, userId);
    await noteFactorChange(deps, uow, session, { change: 'added', factor: 'passkey' });
    return codes;
  });
}

/**
 * Removes one of the user's passkeys. Needs a second factor given within the last 15 minutes.
 * @throws not_found, forbidden
 */
export async function removePasskey(
  deps: Omit<Deps, 'config' | 'tokens'>,
  session: OwnSession,
  id: string,
): Promise<void> {
  assertFresh(deps, session);
  await deps.db.transact(async (uow) => {
    const { userId } = await lockOwnAccount(uow, session);
    if (!(await deletePasskey.first(uow.sql, { userId, id }))) {
      throw fail('not_found', { message: 'This passkey has already been removed.' });
    }
    await dropUnneededCodes(uow, userId);
    await noteFactorChange(deps, uow, session, { change: 'removed', factor: 'passkey' });
  });
}
