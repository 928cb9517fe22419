import { createHash } from 'node:crypto';

/** Returns a SECRETS_KEY that production accepts as random; each number gives a different key. */
export function secretsKey(number = 1): Buffer {
  return createHash('sha256').update(`secrets key of the tests ${number}`).digest();
}
