import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { UnitOfWork } from '../../delivery/unit-of-work/unit-of-work.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { deletePasskeysOf } from './passkey.store.ts';
import { listPasskeys, type Passkey, type PasskeyAnswer, verifyPasskey } from './passkey.ts';
import * as store from './second-factor.store.ts';
import { clearAttempts, takeAttempt } from './sign-in-attempt.ts';
import { secondFactorMail } from './user.mails.ts';
import type { User } from './user.ts';
import { lockAccount } from './user-account.ts';

interface Deps {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
}

const ISSUER = 'Marketplace';
/** 160 bits, as RFC 4226 asks for. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

const sealContext = (userId: string) => `authenticator:${userId}`;

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret) });
}

/** The second factor of an account. */
export interface SecondFactorState {
  authenticator: boolean;
  passkeys: readonly Passkey[];
  recoveryCodesLeft: number;
}

/** The authenticator app and the passkeys of an account, and how many recovery codes are left. */
export async function readSecondFactor(
  { db }: Pick<Deps, 'db'>,
  userId: string,
): Promise<SecondFactorState> {
  const { found } = await store.selectHasAuthenticator.one(db.knex, { userId });
  const passkeys = await listPasskeys({ db }, userId);
  const { count } = await store.countRecoveryCodes.one(db.knex, { userId });
  return { authenticator: found, passkeys, recoveryCodesLeft: count };
}

/** Whether an account asks for a second factor. */
export async function hasSecondFactor({ db }: Pick<Deps, 'db'>, userId: string): Promise<boolean> {
  return (await store.selectHasSecondFactor.one(db.knex, { userId })).found;
}

/** What an authenticator app needs: the secret to type, and the same as the address that a QR code holds. */
export interface AuthenticatorSetup {
  secret: string;
  uri: string;
}

/** Begins to set up an app; it counts once it has shown a code. @throws conflict when there is one */
export async function beginAuthenticator(
  { db, secrets }: Deps,
  user: User,
): Promise<AuthenticatorSetup> {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  const sealed = secrets.seal(secret, sealContext(user.id));
  const kept = await db.transact(({ sql, now }) =>
    store.upsertPending.run(sql, { userId: user.id, sealed, now }),
  );
  if (kept === 0) throw conflict('already_exists', 'You already have an authenticator app.');
  return { secret, uri: totpOf(secret, user.email).toString() };
}

/** The app that is being set up, to show it once more. @throws conflict when none is */
export async function readPendingAuthenticator(
  { db, secrets }: Deps,
  user: User,
): Promise<AuthenticatorSetup> {
  const found = await store.selectAuthenticator.first(db.knex, { userId: user.id });
  if (!found || found.confirmedAt) throw notBegun();
  const secret = secrets.open(found.sealed, sealContext(user.id));
  return { secret, uri: totpOf(secret, user.email).toString() };
}

function notBegun() {
  return conflict('invalid_state', 'Start again: no authenticator app is being set up.');
}

/**
 * Puts the app to use that shows this code, and makes the recovery codes: they can be read this once.
 * @throws validation_error (the code), conflict, rate_limited
 */
export async function confirmAuthenticator(
  deps: Deps,
  user: User,
  code: string,
): Promise<readonly string[]> {
  const { secret } = await readPendingAuthenticator(deps, user);
  await takeAttempt(deps, `code:${user.id}`);
  const step = stepOf(deps.clock, totpOf(secret, user.email), code);
  if (step === undefined) throw wrongCode();
  const codes = await deps.db.transact(async (uow) => {
    const { sql, now } = uow;
    const { id: userId } = await lockAccount(uow, user.id);
    if ((await store.updateConfirmed.run(sql, { userId, step, now })) === 0) throw notBegun();
    await tellOfFactor(uow, user, { actor: userId, change: 'added', factor: APP });
    return makeRecoveryCodes(uow, userId);
  });
  await clearAttempts(deps, `code:${user.id}`);
  return codes;
}

/** Makes recovery codes in the place of those before: they can be read this once. */
export async function makeRecoveryCodes(
  { sql }: UnitOfWork,
  userId: string,
): Promise<readonly string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await store.deleteRecoveryCodes.run(sql, { userId });
  await store.insertRecoveryCodes.run(sql, { userId, hashes: codes.map(recoveryHash) });
  return codes;
}

/** What shows a second factor: a code of the app or for recovery, or a passkey. */
export type SecondFactorProof = { code: string } | PasskeyAnswer;

/** @throws invalid_token (the passkey), and what {@link verifyCode} throws */
export async function verifySecondFactor(
  deps: Deps & { config: Config; tokens: SignedTokens },
  user: Pick<User, 'id' | 'email'>,
  proof: SecondFactorProof,
): Promise<boolean> {
  if ('code' in proof) return verifyCode(deps, user, proof.code);
  await verifyPasskey(deps, user.id, proof);
  return true;
}

/**
 * Checks a code of the app or a recovery code; each is good once. Guessing waits as it does for passwords, and every
 * failure is in the audit trail. @throws rate_limited
 */
async function verifyCode(
  deps: Deps,
  user: Pick<User, 'id' | 'email'>,
  code: string,
): Promise<boolean> {
  const userId = user.id;
  await takeAttempt(deps, `code:${userId}`);
  const good =
    (await usesAppCode(deps, user, code)) || (await usesRecoveryCode(deps, userId, code));
  if (good) await clearAttempts(deps, `code:${userId}`);
  else {
    const entry = { actor: 'sign-in', action: 'user:second-factor-failed', subject: userId };
    await deps.db.transact((uow) => recordAudit(uow, entry));
  }
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

/** The step of time whose code this is: the present one, or one beside it, since clocks differ. */
function stepOf(clock: Clock, totp: TOTP, code: string): number | undefined {
  const timestamp = clock.now().getTime();
  const delta = totp.validate({ token: code.replace(/\s/g, ''), timestamp, window: 1 });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

/** Removes one's own app, and its recovery codes. @throws validation_error (the code), rate_limited */
export async function removeAuthenticator(deps: Deps, user: User, code: string): Promise<void> {
  if (!(await verifyCode(deps, user, code))) throw wrongCode();
  await deps.db.transact(async (uow) => {
    const { id: userId } = await lockAccount(uow, user.id);
    if ((await store.deleteAuthenticator.run(uow.sql, { userId })) === 0) return;
    await tellOfFactor(uow, user, { actor: userId, change: 'removed', factor: APP });
    await dropUnneededCodes(uow, userId);
  });
}

/** Without a second factor recovery codes would be passwords that nobody knows of. */
export async function dropUnneededCodes({ sql }: UnitOfWork, userId: string): Promise<void> {
  const { found } = await store.selectHasSecondFactor.one(sql, { userId });
  if (!found) await store.deleteRecoveryCodes.run(sql, { userId });
}

/** Removes app and passkeys of an account whose owner lost them; nothing happens when there are none. @throws not_found */
export async function resetSecondFactor(
  { db }: Pick<Deps, 'db'>,
  actor: string,
  who: string,
): Promise<string> {
  return db.transact(async (uow) => {
    const user = await lockAccount(uow, who);
    await store.deleteRecoveryCodes.run(uow.sql, { userId: user.id });
    const owner = { userId: user.id };
    const apps = await store.deleteAuthenticator.run(uow.sql, owner);
    const passkeys = await deletePasskeysOf.run(uow.sql, owner);
    const change = 'removed';
    if (apps > 0) await tellOfFactor(uow, user, { actor, change, factor: APP });
    if (passkeys > 0) await tellOfFactor(uow, user, { actor, change, factor: 'passkey' });
    return user.id;
  });
}

const APP = 'authenticator app';

/** Tells the owner of an account of a change of its second factor, and the audit trail. */
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

function wrongCode() {
  return invalid([
    { path: '/code', message: 'is not right. Enter the code that the app shows now' },
  ]);
}

/** 80 bits, which nobody guesses: `k3v7-9qxm-2d4f-h8tw`. */
function newRecoveryCode(): string {
  const text = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32;
  return (text.toLowerCase().match(/.{4}/g) ?? []).join('-');
}

function recoveryHash(code: string): Buffer {
  const plain = code.toLowerCase().replace(/[^a-z2-7]/g, '');
  return createHash('sha256').update(plain).digest();
}

/** Seals the secrets of all apps with the present key. */
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
