import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Clock } from '../clock.ts';
import { deriveKey } from './secrets.ts';

/** What a token carries; `exp`, in seconds since 1970, is set by {@link SignedTokens.sign} alone. */
type Claims = Record<string, unknown> & {
  sub?: string | undefined;
  jti?: string | undefined;
  exp?: number | undefined;
};

/** Signed, readable, tamper-proof tokens (JWS, RFC 7515) for quotes, cursors and links. */
export interface SignedTokens {
  /** A token of `purpose` that carries `claims`; a token of one purpose is never good for another. */
  sign(purpose: string, claims: Claims, expiresAt?: Date): Promise<string>;
  /** The claims, `'expired'`, or `'invalid'` for anything that was not signed here for this purpose. */
  verify(purpose: string, token: string): Promise<Claims | 'expired' | 'invalid'>;
}

/** What signs, and verifies nothing. */
export type TokenSigner = Pick<SignedTokens, 'sign'>;

const ALGORITHM = 'HS256';
/** Short, since every page of a list has a token in its cursor. */
const OPTIONS: jwt.SignOptions = {
  algorithm: ALGORITHM,
  header: { alg: ALGORITHM, typ: undefined },
};
/** How each of our tokens begins. Another header may ask for what the library does not do, such as `crit`. */
const HEADER = Buffer.from(JSON.stringify({ alg: ALGORITHM })).toString('base64url');

/**
 * Tokens under `masterKey`; those that `previous` master keys signed stay good until they expire. The library signs in
 * place: one that goes through the thread pool took a sixth of the processor time of a page.
 */
export function createSignedTokens(
  masterKey: Buffer,
  clock: Clock,
  previous: readonly Buffer[] = [],
): SignedTokens {
  const keys = new Map<string, readonly KeyObject[]>();
  /** The one that signs, then those that only verify. */
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
      // With `noTimestamp` the library takes a claim `iat` away, without it it adds one.
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

/**
 * Whether a token is spelled as we spell them. Decoders pass over blanks and padding, and over the last bits
 * of the last character, so that one signature would have many spellings.
 */
function isCanonical(token: string): boolean {
  const parts = token.split('.');
  return (
    parts.length === 3 &&
    parts[0] === HEADER &&
    parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  );
}
