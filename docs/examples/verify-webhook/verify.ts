import { createHmac, timingSafeEqual } from 'node:crypto';

// In Express:
//
//     app.post('/hooks', express.raw({ type: 'application/json' }), (req, res) => {
//       const genuine = isGenuine(SECRET, req.body, req.get('X-Service-Signature') ?? '');
//       res.sendStatus(genuine ? 200 : 401);
//       if (genuine) handleLater(JSON.parse(req.body));
//     });

/** Checks X-Service-Signature. */
export function isGenuine(secret: string, raw: Uint8Array, signature: string): boolean {
  return same(createHmac('sha256', secret).update(raw).digest('hex'), signature);
}

/** Checks webhook-id, webhook-timestamp and webhook-signature, and that it is at most five minutes old. */
export function isGenuineAndFresh(
  secret: string,
  raw: Uint8Array,
  id: string,
  timestamp: string,
  signatures: string,
): boolean {
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > 300) return false;
  // Only padded base64 after whsec_ is decoded; any other secret is the key itself.
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  const key = encoded && encoded.length % 4 === 0 ? Buffer.from(encoded, 'base64') : secret;
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(raw);
  const expected = `v1,${hmac.digest('base64')}`;
  return signatures.split(' ').some((each) => same(expected, each));
}

/** Compares in constant time, which reveals nothing about the signature. */
function same(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
