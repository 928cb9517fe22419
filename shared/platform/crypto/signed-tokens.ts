import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Clock } from '../clock.ts';
import { deriveKey } from './secrets.ts';

/** The contents of a token. Only {@link SignedTokens.sign} sets `exp`, in seconds since 1970. */
type Claims = Record<string, unknown> & {
  sub?: string | undefined;
  jti?: string | undefined;
  exp?: number | undefined;
};

/** Signed, readable, tamper-proof tokens (JWS, RFC 7515) for quotes, cursors and links. */
export interface SignedTokens {
  /** Creates a token with `claims`. A token is valid only for its purpose. */
  sign(purpose: string, claims: Claims, expiresAt?: Date): Promise<string>;
  /** Returns the claims, `'expired'`, or `'invalid'` for anything that we did not sign for this purpose. */
  verify(purpose: string, token: string): Promise<Claims | 'expired' | 'invalid'>;
}

/** Only signs tokens. */
export type TokenSigner = Pick<SignedTokens, 'sign'>;

const ALGORITHM = 'HS256';
/** Keeps tokens short, since every page of a list has one in its cursor. */
const OPTIONS: jwt.SignOptions = {
  algorithm: ALGORITHM,
  header: { alg: ALGORITHM, typ: undefined },
};
/** The start of all our tokens. Other headers may ask for features that the library ignores, such as `crit`. */
const HEADER = Buffer.from(JSON.stringify({ alg: ALGORITHM })).toString('base64url');

/**
 * Signs tokens with `masterKey`. Tokens signed with `previous` master keys stay valid until they expire. This library
 * signs synchronously: one that used the thread pool took a sixth of a page's CPU time.
 */
export function createSignedTokens(
  masterKey: Buffer,
  clock: Clock,
  previous: readonly Buffer[] = [],
): SignedTokens {
  const keys = new Map<string, readonly KeyObject[]>();
  /** Returns the signing key, then those that only verify. */
  const keysFor = (purpose: string) => {
    const known = keys.get(purpose);
    if (known) return known;
    const derived = [masterKey, ...previous].map((each) =>
      createSecretKey(deriveKey(each, `token:${purpose}`)),
    );
    keys.set(purpose, derived);
    return derived;
  };
  const verifyWith = (key: KeyObject, token: string): Claims | 'expired' | 'invalid' => {
    const clockTimestamp = Math.floor(clock.now().getTime() / 1_000);
    try {
      const claims = jwt.verify(token, key, { algorithms: [ALGORITHM], clockTimestamp });
      return typeof claims === 'string' ? 'invalid' : claims;
    } catch (error) {
      return error instanceof jwt.TokenExpiredError ? 'expired' : 'invalid';
    }
  };
  return {
    async sign(purpose, claims, expiresAt) {
      const exp = expiresAt && { exp: Math.floor(expiresAt.getTime() / 1_000) };
      const [key] = keysFor(purpose);
      // With `noTimestamp` the library removes the claim `iat`; without it, the library adds one.
      const options = { ...OPTIONS, noTimestamp: claims.iat === undefined };
      return jwt.sign({ ...claims, ...exp }, key as KeyObject, options);
    },
    async verify(purpose, token) {
      if (!isCanonical(token)) return 'invalid';
      for (const key of keysFor(purpose)) {
        const claims = verifyWith(key, token);
        if (claims !== 'invalid') return claims;
      }
      return 'invalid';
    },
  };
}

/** Returns the subject that a token names. `verify` decides whether we signed it, also of an expired one. */
export function subjectOf(token: string): string | undefined {
  const claims = jwt.decode(token);
  return typeof claims === 'object' ? claims?.sub : undefined;
}

/**
 * Returns whether a token is written exactly as we write tokens. Decoders ignore blanks, padding and the last bits of
 * the last character, so one signature could be written in many ways.
 */
function isCanonical(token: string): boolean {
  const parts = token.split('.');
  return (
    parts.length === 3 &&
    parts[0] === HEADER &&
    parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  );
}
