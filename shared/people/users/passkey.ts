import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { addMs, type Clock, MINUTE } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { fail, invalid } from '../../platform/errors.ts';
import { plainLine } from '../../platform/plain-line.ts';
import * as store from './passkey.store.ts';
import { recordFailure, type SignInOrigin } from './sign-in-failure.ts';
import type { User } from './user.ts';

export type { Passkey } from './passkey.store.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
  tokens: SignedTokens;
}

/** Imported on first use, since most processes never see a passkey. */
const webauthn = () => import('@simplewebauthn/server');

const ISSUER = 'Marketplace';
const MAX_NAME = 60;
const ID = /^[A-Za-z0-9_-]{1,1400}$/;
/** How long a page that asks for a passkey may stay open. */
const LIFETIME_MS = 10 * MINUTE;

/** Passkeys belong to the host of BASE_URL, and responses must come from its origin. */
function relyingParty({ config }: Pick<Deps, 'config'>) {
  const { hostname, origin } = new URL(config.baseUrl);
  return { rpID: hostname, expectedRPID: hostname, expectedOrigin: origin };
}

type Purpose = 'passkey-new' | 'passkey-use';

/** The options for a browser, and the ticket to send back with its response. */
export interface PasskeyRequest<Options> {
  options: Options;
  /** A signed token with the challenge and its user. The challenge works once. */
  ticket: string;
}

async function requestOf<Options extends { challenge: string }>(
  { tokens, clock }: Pick<Deps, 'tokens' | 'clock'>,
  purpose: Purpose,
  userId: string | null,
  options: Options,
): Promise<PasskeyRequest<Options>> {
  const expiresAt = addMs(clock.now(), LIFETIME_MS);
  const claims = { challenge: options.challenge, ...(userId !== null && { sub: userId }) };
  return { options, ticket: await tokens.sign(purpose, claims, expiresAt) };
}

/** Returns the challenge of a ticket for this user, or for anybody (null). @throws invalid_token */
async function challengeOf(
  { tokens }: Pick<Deps, 'tokens'>,
  purpose: Purpose,
  userId: string | null,
  ticket: string,
): Promise<string> {
  const claims = await tokens.verify(purpose, ticket);
  if (typeof claims === 'string' || (claims.sub ?? null) !== userId) throw tookTooLong();
  return String(claims.challenge);
}

function tookTooLong() {
  return fail('invalid_token', { message: 'This took too long or was already done. Try again.' });
}

/** Uses up a challenge, so that a recorded response cannot be replayed. @throws invalid_token */
async function consumeChallenge({ db, clock }: Deps, challenge: string): Promise<void> {
  const expiresAt = addMs(clock.now(), LIFETIME_MS);
  const used = await store.insertUsedChallenge.run(db.knex, { challenge, expiresAt });
  if (used === 0) throw tookTooLong();
}

/** Lists the passkeys of a user, oldest first. */
export function listPasskeys({ db }: Pick<Deps, 'db'>, userId: string): Promise<store.Passkey[]> {
  return store.selectPasskeys.all(db.knex, { userId });
}

/** Creates the options for a new discoverable passkey with user verification. */
export async function beginPasskey(
  deps: Deps,
  user: User,
): Promise<PasskeyRequest<PublicKeyCredentialCreationOptionsJSON>> {
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: ISSUER,
    rpID: relyingParty(deps).rpID,
    userID: new Uint8Array(Buffer.from(user.id)),
    userName: user.email,
    attestationType: 'none',
    excludeCredentials: (await listPasskeys(deps, user.id)).map(named),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return requestOf(deps, 'passkey-new', user.id, options);
}

function named({ id, transports }: store.Passkey) {
  return { id, transports: transports as AuthenticatorTransport[] };
}

/** A browser's response, as its form sends it. */
export interface PasskeyAnswer {
  ticket: string;
  /** JSON. */
  response: string;
}

/** Verifies a browser's response and returns its new passkey, unstored. @throws invalid_token, validation_error */
export async function readNewPasskey(
  deps: Deps,
  user: User,
  { ticket, response, name }: PasskeyAnswer & { name: string },
) {
  const expectedChallenge = await challengeOf(deps, 'passkey-new', user.id, ticket);
  const { verifyRegistrationResponse } = await webauthn();
  const { registrationInfo } = await verifyRegistrationResponse({
    ...relyingParty(deps),
    response: parsed<RegistrationResponseJSON>(response),
    expectedChallenge,
    requireUserVerification: true,
  }).catch((): { registrationInfo?: undefined } => ({}));
  if (!registrationInfo) throw refused();
  await consumeChallenge(deps, expectedChallenge);
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  return {
    id,
    userId: user.id,
    name: plainLine(name, MAX_NAME) || 'Passkey',
    publicKey: Buffer.from(publicKey),
    counter,
    transports,
    createdAt: deps.clock.now(),
  };
}

/** Creates the options to ask a browser for a passkey: one of this user's, or any that it has for us (null). */
export async function askForPasskey(
  deps: Deps,
  userId: string | null,
): Promise<PasskeyRequest<PublicKeyCredentialRequestOptionsJSON>> {
  const allowed = userId === null ? [] : (await listPasskeys(deps, userId)).map(named);
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(deps).rpID,
    allowCredentials: allowed,
    userVerification: 'required',
  });
  return requestOf(deps, 'passkey-use', userId, options);
}

/**
 * Returns the id of the user whose passkey signed the ticket's challenge: this user, or anybody (null). Each response
 * works once, and each failure is recorded as a failed sign-in. @throws invalid_token, validation_error
 */
export async function verifyPasskey(
  deps: Deps,
  userId: string | null,
  answer: PasskeyAnswer,
  from: SignInOrigin | undefined,
): Promise<string> {
  try {
    return await ownerOf(deps, userId, answer);
  } catch (error) {
    await recordFailure(deps, { userId, reason: 'passkey', from });
    throw error;
  }
}

async function ownerOf(
  deps: Deps,
  userId: string | null,
  { ticket, response }: PasskeyAnswer,
): Promise<string> {
  const { db, clock } = deps;
  const expectedChallenge = await challengeOf(deps, 'passkey-use', userId, ticket);
  const answer = parsed<AuthenticationResponseJSON>(response);
  const given = String(answer.id);
  const passkey = ID.test(given)
    ? await store.selectPasskey.first(db.knex, { id: given })
    : undefined;
  if (!passkey || (userId !== null && passkey.userId !== userId)) throw refused();
  const { id, publicKey, counter } = passkey;
  const { verifyAuthenticationResponse } = await webauthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...relyingParty(deps),
    response: answer,
    expectedChallenge,
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
    requireUserVerification: true,
  }).catch(() => ({ verified: false, authenticationInfo: { newCounter: 0 } }));
  if (!verified) throw refused();
  await consumeChallenge(deps, expectedChallenge);
  const use = { id, counter: authenticationInfo.newCounter, now: clock.now() };
  if ((await store.updatePasskeyUsed.run(db.knex, use)) === 0) throw refused();
  return passkey.userId;
}

function refused() {
  return fail('invalid_token', { message: 'This passkey was not accepted. Try again.' });
}

function parsed<Answer>(text: string): Answer {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Answer;
  } catch {
    // The error is thrown below.
  }
  throw invalid([{ path: '/response', message: 'must be the answer of a browser' }]);
}
