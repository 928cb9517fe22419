import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Clock } from './clock.ts';
import { deriveKey } from './secrets.ts';

/** Signed, readable, tamper-proof tokens (JWS, RFC 7515) for quotes, cursors and links. */
export interface SignedTokens {
  /** A token of `purpose` that carries `claims`; a token of one purpose is never good for another. */
  sign(purpose: string, claims: JWTPayload, expiresAt?: Date): Promise<string>;
  /** The claims, `'expired'`, or `'invalid'` for anything that was not signed here for this purpose. */
  verify(purpose: string, token: string): Promise<JWTPayload | 'expired' | 'invalid'>;
}

const ALGORITHM = 'HS256';

export function createSignedTokens(masterKey: Buffer, clock: Clock): SignedTokens {
  const keys = new Map<string, Uint8Array>();
  const keyFor = (purpose: string) => {
    const known = keys.get(purpose);
    if (known) return known;
    const key = deriveKey(masterKey, `token:${purpose}`);
    keys.set(purpose, key);
    return key;
  };
  return {
    async sign(purpose, claims, expiresAt) {
      const jwt = new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM });
      if (expiresAt) jwt.setExpirationTime(expiresAt);
      return jwt.sign(keyFor(purpose));
    },
    async verify(purpose, token) {
      if (!isCanonical(token)) return 'invalid';
      try {
        const { payload } = await jwtVerify(token, keyFor(purpose), {
          algorithms: [ALGORITHM],
          currentDate: clock.now(),
        });
        return payload;
      } catch (error) {
        if (error instanceof errors.JWTExpired) return 'expired';
        return 'invalid';
      }
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
