import { createHash } from 'node:crypto';
import { randomBase64Url } from '../platform/ids.ts';

const TOKEN_BYTES = 32;

/** A new session token: 43 characters that nobody can guess. */
export function newSessionToken(): string {
  return randomBase64Url(TOKEN_BYTES);
}

/** What is stored of a token; it is random, so a plain digest can't be searched backwards. */
export function hashSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
