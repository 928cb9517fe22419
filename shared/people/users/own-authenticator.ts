import { Secret } from 'otpauth';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { addMs, type Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, invalid } from '../../platform/errors.ts';
import {
  type GrantRevocation,
  lockOwnAccount,
  noteFactorChange,
  type ProvenSession,
} from './factor-change.ts';
import * as store from './second-factor.store.ts';
import { APP, dropUnneededCodes, makeRecoveryCodes, verifySecondFactor } from './second-factor.ts';
import { clearAttempts, takeAttempt } from './sign-in-attempt.ts';
import type { SignInOrigin } from './sign-in-failure.ts';
import { sealContext, stepOf, totpOf } from './totp.ts';
import { FRESH_MS, hashSessionToken, type OwnSession } from './user-session.ts';

interface Deps {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
}

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;

/** What an authenticator app needs: the secret to type, and the URI for a QR code. */
export interface AuthenticatorSetup {
  secret: string;
  uri: string;
}

/** Begins to set up an app, which takes effect once it has shown a code. @throws conflict if there already is one */
export async function beginAuthenticator(
  { db, secrets }: Deps,
  { user, token }: ProvenSession,
): Promise<AuthenticatorSetup> {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  const sealed = secrets.seal(secret, sealContext(user.id));
  const pending = { userId: user.id, sealed, begunBy: hashSessionToken(token) };
  const kept = await db.transact(({ sql, now }) =>
    store.upsertPending.run(sql, { ...pending, now }),
  );
  if (kept === 0) throw conflict('already_exists', 'You already have an authenticator app.');
  return { secret, uri: totpOf(secret, user.email).toString() };
}

/**
 * Returns the app that this session began to set up within the last 15 minutes, to show it again. Other sessions cannot
 * read it. @throws conflict if there is none
 */
export async function readPendingAuthenticator(
  { db, clock, secrets }: Deps,
  { user, token }: OwnSession,
): Promise<AuthenticatorSetup> {
  const begun = { begunBy: hashSessionToken(token), since: addMs(clock.now(), -FRESH_MS) };
  const found = await store.selectPending.first(db.knex, { userId: user.id, ...begun });
  if (!found) throw notBegun();
  const secret = secrets.open(found.sealed, sealContext(user.id));
  return { secret, uri: totpOf(secret, user.email).toString() };
}

function notBegun() {
  return conflict('invalid_state', 'Start again: no authenticator app is being set up.');
}

/**
 * Confirms the app that this session began to set up with a code from it, and returns new recovery codes. They can be
 * read only now. @throws validation_error (the code), conflict, rate_limited
 */
export async function confirmAuthenticator(
  deps: Deps & GrantRevocation,
  session: OwnSession,
  code: string,
): Promise<readonly string[]> {
  const { user, token } = session;
  const { secret } = await readPendingAuthenticator(deps, session);
  await takeAttempt(deps, `code:${user.id}`);
  const step = stepOf(deps.clock, totpOf(secret, user.email), code);
  if (step === undefined) throw wrongCode();
  const codes = await deps.db.transact(async (uow) => {
    const { sql, now } = uow;
    const { userId } = await lockOwnAccount(uow, session);
    const begun = { userId, begunBy: hashSessionToken(token) };
    if ((await store.updateConfirmed.run(sql, { ...begun, step, now })) === 0) throw notBegun();
    const made = await makeRecoveryCodes(uow, userId);
    await noteFactorChange(deps, uow, session, { change: 'added', factor: APP });
    return made;
  });
  await clearAttempts(deps, `code:${user.id}`);
  return codes;
}

/**
 * Removes the user's authenticator app after checking a code, and the recovery codes if it was the last second factor.
 * @throws validation_error (the code), rate_limited
 */
export async function removeAuthenticator(
  deps: Deps & GrantRevocation & { config: Config; tokens: SignedTokens },
  session: OwnSession,
  { code, from }: { code: string; from: SignInOrigin },
): Promise<void> {
  const { user } = session;
  if (!(await verifySecondFactor(deps, user, { code }, from))) throw wrongCode();
  await deps.db.transact(async (uow) => {
    const { userId } = await lockOwnAccount(uow, session);
    if ((await store.deleteAuthenticator.run(uow.sql, { userId })) === 0) return;
    await dropUnneededCodes(uow, userId);
    await noteFactorChange(deps, uow, session, { change: 'removed', factor: APP });
  });
}

function wrongCode() {
  return invalid([
    { path: '/code', message: 'is not right. Enter the code that the app shows now' },
  ]);
}
