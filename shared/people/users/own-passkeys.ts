import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { fail } from '../../platform/errors.ts';
import { deletePasskey, writePasskey } from './passkey.store.ts';
import { type PasskeyAnswer, readNewPasskey } from './passkey.ts';
import { selectHasSecondFactor } from './second-factor.store.ts';
import { dropUnneededCodes, makeRecoveryCodes, tellOfFactor } from './second-factor.ts';
import type { User } from './user.ts';
import { lockAccount } from './user-account.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
  tokens: SignedTokens;
}

/**
 * Gives an account a passkey. With its first second factor come recovery codes, which can be read this once.
 * @throws invalid_token (the answer), conflict (`already_exists`)
 */
export async function addPasskey(
  deps: Deps,
  user: User,
  answer: PasskeyAnswer & { name: string },
): Promise<readonly string[]> {
  const passkey = await readNewPasskey(deps, user, answer);
  return deps.db.transact(async (uow) => {
    const { id: userId } = await lockAccount(uow, user.id);
    const { found } = await selectHasSecondFactor.one(uow.sql, { userId });
    await writePasskey(uow.sql, passkey);
    await tellOfFactor(uow, user, { actor: userId, change: 'added', factor: 'passkey' });
    return found ? [] : makeRecoveryCodes(uow, userId);
  });
}

/** Removes one of a user's own passkeys. @throws not_found */
export async function removePasskey(
  { db }: Pick<Deps, 'db'>,
  user: User,
  id: string,
): Promise<void> {
  await db.transact(async (uow) => {
    const { id: userId } = await lockAccount(uow, user.id);
    if (!(await deletePasskey.first(uow.sql, { userId, id }))) {
      throw fail('not_found', { message: 'This passkey was removed already.' });
    }
    await tellOfFactor(uow, user, { actor: userId, change: 'removed', factor: 'passkey' });
    await dropUnneededCodes(uow, userId);
  });
}
