import { createHash, randomBytes } from 'node:crypto';
import { Secret } from 'otpauth';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { newId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { deletePasskeysOf } from './passkey.store.ts';
import { listPasskeys, type Passkey, type PasskeyAnswer, verifyPasskey } from './passkey.ts';
import * as store from './second-factor.store.ts';
import { clearAttempts, takeAttempt } from './sign-in-attempt.ts';
import { recordFailure, type SignInOrigin } from './sign-in-failure.ts';
import { sealContext, stepOf, totpOf } from './totp.ts';
import { secondFactorMail } from './user.mails.ts';
import type { User } from './user.ts';

interface Deps {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
}

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** The second factors of an account. */
export interface SecondFactorState {
  authenticator: boolean;
  passkeys: readonly Passkey[];
  recoveryCodesLeft: number;
}

/** Returns an account's second factors and how many recovery codes are left. */
export async function readSecondFactor(
  { db }: Pick<Deps, 'db'>,
  userId: string,
): Promise<SecondFactorState> {
  const { found } = await store.selectHasAuthenticator.one(db.knex, { userId });
  const passkeys = await listPasskeys({ db }, userId);
  const { count } = await store.countRecoveryCodes.one(db.knex, { userId });
  return { authenticator: found, passkeys, recoveryCodesLeft: count };
}

/** Returns whether an account has a second factor. */
export async function hasSecondFactor({ db }: Pick<Deps, 'db'>, userId: string): Promise<boolean> {
  return (await store.selectHasSecondFactor.one(db.knex, { userId })).found;
}

/** Creates recovery codes that replace the previous ones. They can be read only now. */
export async function makeRecoveryCodes(
  { sql }: UnitOfWork,
  userId: string,
): Promise<readonly string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await store.deleteRecoveryCodes.run(sql, { userId });
  await store.insertRecoveryCodes.run(sql, { userId, hashes: codes.map(recoveryHash) });
  return codes;
}

/** The message for a wrong code. Right after the setup, the app still shows the code that was used for it. */
export const CODE_WRONG =
  'This code is not right. Each code works only once: wait until your app shows the next one, or use a recovery code.';

/** The proof of a second factor: an app code, a recovery code, or a passkey response. */
export type SecondFactorProof = { code: string } | PasskeyAnswer;

/** Verifies a second factor and records a failure. @throws what {@link verifyPasskey} and {@link verifyCode} throw */
export async function verifySecondFactor(
  deps: Deps & { config: Config; tokens: SignedTokens },
  user: Pick<User, 'id' | 'email'>,
  proof: SecondFactorProof,
  from?: SignInOrigin,
): Promise<boolean> {
  if ('code' in proof) return verifyCode(deps, user, proof.code, from);
  await verifyPasskey(deps, user.id, proof, from);
  return true;
}

/**
 * Checks an app code or a recovery code. Each works once. Guessing is slowed down as for passwords.
 * @throws rate_limited
 */
async function verifyCode(
  deps: Deps,
  user: Pick<User, 'id' | 'email'>,
  code: string,
  from: SignInOrigin | undefined,
): Promise<boolean> {
  const userId = user.id;
  await takeAttempt(deps, `code:${userId}`);
  const good =
    (await usesAppCode(deps, user, code)) || (await usesRecoveryCode(deps, userId, code));
  if (good) await clearAttempts(deps, `code:${userId}`);
  else await recordFailure(deps, { userId, reason: 'code', from });
  return good;
}

async function usesAppCode(
  { db, clock, secrets }: Deps,
  { id: userId, email }: Pick<User, 'id' | 'email'>,
  code: string,
): Promise<boolean> {
  const found = await store.selectAuthenticator.first(db.knex, { userId });
  if (!found?.confirmedAt) return false;
  const secret = secrets.open(found.sealed, sealContext(userId));
  const step = stepOf(clock, totpOf(secret, email), code);
  return step !== undefined && (await store.updateStep.run(db.knex, { userId, step })) === 1;
}

async function usesRecoveryCode({ db, clock }: Deps, userId: string, code: string) {
  const now = clock.now();
  const used = { userId, hash: recoveryHash(code), now };
  return (await store.updateRecoveryCodeUsed.run(db.knex, used)) === 1;
}

/** Deletes the recovery codes of an account without a second factor: they would act as forgotten passwords. */
export async function dropUnneededCodes({ sql }: UnitOfWork, userId: string): Promise<void> {
  const { found } = await store.selectHasSecondFactor.one(sql, { userId });
  if (!found) await store.deleteRecoveryCodes.run(sql, { userId });
}

/** Removes an account's app, passkeys and recovery codes, and tells its owner. Returns false if it had no factor. */
export async function removeSecondFactor(
  uow: UnitOfWork,
  user: Pick<User, 'id' | 'email'>,
  actor: string,
): Promise<boolean> {
  const owner = { userId: user.id };
  await store.deleteRecoveryCodes.run(uow.sql, owner);
  const apps = await store.deleteAuthenticator.run(uow.sql, owner);
  const passkeys = await deletePasskeysOf.run(uow.sql, owner);
  const change = 'removed';
  if (apps > 0) await tellOfFactor(uow, user, { actor, change, factor: APP });
  if (passkeys > 0) await tellOfFactor(uow, user, { actor, change, factor: 'passkey' });
  return apps + passkeys > 0;
}

/** The name of the factor in mails to its owner. */
export const APP = 'authenticator app';

/** Mails the owner of an account about a change of its second factors, and records it in the audit trail. */
export async function tellOfFactor(
  uow: UnitOfWork,
  { id: subject, email }: Pick<User, 'id' | 'email'>,
  change: { actor: string; change: 'added' | 'removed'; factor: string },
): Promise<void> {
  const { actor, ...told } = change;
  const data = {
    changeId: newId('accountLink', uow.now),
    ...told,
    at: uow.now.toISOString(),
    path: '/account/security',
  };
  uow.mails.add(secondFactorMail, { to: { email }, of: null, data });
  const { factor } = told;
  const action = `user:second-factor-${told.change}`;
  await recordAudit(uow, { actor, action, subject, after: { factor } });
}

/** Creates an unguessable code of 80 bits, such as `k3v7-9qxm-2d4f-h8tw`. */
function newRecoveryCode(): string {
  const text = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32;
  return (text.toLowerCase().match(/.{4}/g) ?? []).join('-');
}

function recoveryHash(code: string): Buffer {
  const plain = code.toLowerCase().replace(/[^a-z2-7]/g, '');
  return createHash('sha256').update(plain).digest();
}

/** Reseals the secrets of all apps with the current key. */
export function resealAuthenticators({
  db,
  secrets,
}: Pick<Deps, 'db' | 'secrets'>): Promise<Resealed> {
  return resealColumn<string>(secrets, {
    async read(afterId = '', limit) {
      const rows = await store.selectSealedSecrets.all(db.knex, { afterId, limit });
      return rows.map(({ userId, sealed }) => ({
        id: userId,
        sealed,
        context: sealContext(userId),
      }));
    },
    replace: (reseals) => store.replaceSealedSecrets(db.knex, reseals),
  });
}
