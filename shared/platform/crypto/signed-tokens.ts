import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { deriveKey, timingSafeEqualStrings } from './secrets.ts';

/** What a token carries; `exp`, in seconds since 1970, is set by {@link SignedTokens.sign} alone. */
export type Claims = Record<string, unknown> & { sub?: string; jti?: string; exp?: number };

/** Signed, readable, tamper-proof tokens (JWS, RFC 7515) for quotes, cursors and links. */
export interface SignedTokens {
  /** A token of `purpose` that carries `claims`; a token of one purpose is never good for another. */
  sign(purpose: string, claims: Claims, expiresAt?: Date): Promise<string>;
  /** The claims, `'expired'`, or `'invalid'` for anything that was not signed here for this purpose. */
  verify(purpose: string, token: string): Promise<Claims | 'expired' | 'invalid'>;
}

/** What signs, and verifies nothing. */
export type TokenSigner = Pick<SignedTokens, 'sign'>;

/** The one header of our tokens. It is never read: one with another header is none of ours. */
const HEADER = Buffer.from(JSON.stringify({ alg: 'HS256' })).toString('base64url');

/**
 * Tokens under `masterKey`; those that `previous` master keys signed stay good until they expire. Signs in place: every
 * page of a list has a cursor, and libraries for JWS take a tenth of a millisecond more for a way through the thread pool.
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
  return {
    async sign(purpose, claims, expiresAt) {
      const exp = expiresAt && { exp: Math.floor(expiresAt.getTime() / 1_000) };
      const payload = Buffer.from(JSON.stringify({ ...claims, ...exp })).toString('base64url');
      const [key] = keysFor(purpose);
      return `${HEADER}.${payload}.${signatureOf(key as KeyObject, payload)}`;
    },
    async verify(purpose, token) {
      const [header, payload, signature, ...more] = token.split('.');
      if (header !== HEADER || !payload || !signature || more.length > 0) return 'invalid';
      // The spelling is compared, too: decoders pass over blanks, padding, and bits at the end.
      const isOurs = keysFor(purpose).some((key) =>
        timingSafeEqualStrings(signature, signatureOf(key, payload)),
      );
      if (!isOurs) return 'invalid';
      const claims: Claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
      const isOver = claims.exp !== undefined && claims.exp * 1_000 <= clock.now().getTime();
      return isOver ? 'expired' : claims;
    },
  };
}

function signatureOf(key: KeyObject, payload: string): string {
  return createHmac('sha256', key).update(`${HEADER}.${payload}`).digest('base64url');
}
