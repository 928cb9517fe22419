import { createHash } from 'node:crypto';

/** A SECRETS_KEY that production takes for a random one; another number is another key. */
export function secretsKey(number = 1): Buffer {
  return createHash('sha256').update(`secrets key of the tests ${number}`).digest();
}
