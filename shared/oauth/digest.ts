import { createHash } from 'node:crypto';

/** What is stored of a token, code or cookie; they are random, so a plain digest can't be searched backwards. */
export function tokenDigest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
