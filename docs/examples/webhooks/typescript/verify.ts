import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether a delivery is genuine. `raw` is the body as it came, before anything parsed it. */
export function isGenuine(secret: string, raw: Uint8Array, signature: string): boolean {
  const expected = createHmac('sha256', secret).update(raw).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
