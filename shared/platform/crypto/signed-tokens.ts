import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../clock.ts';
import { deriveKey } from './secrets.ts';

/** Signed, readable, tamper-proof tokens (JWS, RFC 7515) for quotes, cursors and links. */
export interface SignedTokens {
  /** A token of `purpose` that carries `claims`; a token of one purpose is never good for another. */
  sign(purpose: string, claims: JWTPayload, expiresAt?: Date): Promise<string>;
  /** The claims, `'expired'`, or `'invalid'` for anything that was not signed here for this purpose. */
  verify(purpose: string, token: string): Promise<JWTPayload | 'expired' | 'invalid'>;
}

/** What signs, and verifies nothing. */
export type TokenSigner = Pick<SignedTokens, 'sign'>;

const ALGORITHM = 'HS256';

/** Tokens under `masterKey`; those that `previous` master keys signed stay good until they expire. */
export function createSignedTokens(
  masterKey: Buffer,
  clock: Clock,
  previous: readonly Buffer[] = [],
): SignedTokens {
  const keys = new Map<string, readonly Uint8Array[]>();
  /** The one that signs, then those that only verify. */
  const keysFor = (purpose: string) => {
    const known = keys.get(purpose);
    if (known) return known;
    const derived = [masterKey, ...previous].map((each) => deriveKey(each, `token:${purpose}`));
    keys.set(purpose, derived);
    return derived;
  };
  const verifyWith = async (key: Uint8Array, token: string) => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        currentDate: clock.now(),
      });
      return payload;
    } catch (error) {
      return error instanceof errors.JWTExpired ? 'expired' : 'invalid';
    }
  };
  return {
    async sign(purpose, claims, expiresAt) {
      const jwt = new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM });
      if (expiresAt) jwt.setExpirationTime(expiresAt);
      const [key] = keysFor(purpose);
      return jwt.sign(key as Uint8Array);
    },
    async verify(purpose, token) {
      if (!isCanonical(token)) return 'invalid';
      for (const key of keysFor(purpose)) {
        const claims = await verifyWith(key, token);
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
    parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  );
}
