import { createHmac } from 'node:crypto';
import type { Config } from '../platform/config.ts';
import { deriveKey } from '../platform/secrets.ts';

/** Tells visitors of one day apart, without telling who they are. */
export type VisitorHasher = (day: string, address: string, userAgent: string) => string;

const VISITOR_ID_BYTES = 12;

/**
 * Marks are keyed hashes of address and user agent. The key is another one every day, so that a visitor
 * can't be followed from one day to the next; the address itself is kept nowhere.
 */
export function createVisitorHasher({ secretsKey }: Pick<Config, 'secretsKey'>): VisitorHasher {
  let today: { day: string; key: Buffer } = { day: '', key: Buffer.alloc(0) };
  return (day, address, userAgent) => {
    if (today.day !== day) today = { day, key: deriveKey(secretsKey, `referral-visitors:${day}`) };
    return createHmac('sha256', today.key)
      .update(`${address}\n${userAgent}`)
      .digest()
      .subarray(0, VISITOR_ID_BYTES)
      .toString('base64url');
  };
}

/** The UTC day of an instant, as `2026-11-21`. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
