import { createHmac } from 'node:crypto';

const USER_AGENT = 'DomainMarketplace-Webhooks/1';

const STANDARD_PREFIX = 'whsec_';
/** The minimum length of a symmetric secret in the Standard Webhooks specification. */
const MIN_STANDARD_KEY_BYTES = 24;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Computes `X-Service-Signature`: lowercase hex HMAC-SHA256 of the raw body, keyed with the secret's UTF-8 bytes. */
export function signBody(secret: string, body: Buffer | string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/**
 * Computes `X-Service-Signature-Timestamped`: the time of signing, in seconds since 1970, and the lowercase hex
 * HMAC-SHA256 of that number, a dot and the body, so that a receiver can reject old requests.
 */
export function timestampedSignature(
  secret: string,
  body: Buffer | string,
  timestampSeconds: number,
): string {
  const hmac = createHmac('sha256', secret).update(`${timestampSeconds}.`).update(body);
  return `t=${timestampSeconds},v1=${hmac.digest('hex')}`;
}

export interface StandardSignatureInput {
  /** The newest first; during a rotation, the previous secret follows. */
  secrets: readonly string[];
  id: string;
  timestampSeconds: number;
  body: Buffer | string;
}

/** Computes `webhook-signature` of the Standard Webhooks specification: one `v1,<base64>` for each secret. */
export function standardWebhookSignature(input: StandardSignatureInput): string {
  return input.secrets
    .map((secret) => {
      const { key, encoding } = standardKey(secret);
      const hmac = createHmac('sha256', key, { encoding });
      hmac.update(`${input.id}.${input.timestampSeconds}.`).update(input.body);
      return `v1,${hmac.digest('base64')}`;
    })
    .join(' ');
}

/**
 * Returns why libraries of Standard Webhooks could not take a secret, as the end of a sentence that starts with the
 * field's name, or null.
 */
export function describeNonStandardSecret(secret: string): string | null {
  if (!secret.startsWith(STANDARD_PREFIX)) return null;
  const encoded = encodedKeyOf(secret);
  if (encoded === undefined) return 'must be base64 with padding after the whsec_ prefix';
  return Buffer.from(encoded, 'base64').length < MIN_STANDARD_KEY_BYTES
    ? `must have a key of at least ${MIN_STANDARD_KEY_BYTES} bytes after the whsec_ prefix`
    : null;
}

/** Returns the base64 after `whsec_`, or undefined for any other secret, also one that only begins like that. */
function encodedKeyOf(secret: string): string | undefined {
  if (!secret.startsWith(STANDARD_PREFIX)) return undefined;
  const encoded = secret.slice(STANDARD_PREFIX.length);
  // Node would accept missing padding, but the receiver's library would reject it.
  return BASE64.test(encoded) ? encoded : undefined;
}

/** Returns the key as text, with which Node 24 signs several times as fast as with a buffer. */
function standardKey(secret: string): { key: string; encoding: BufferEncoding } {
  const encoded = encodedKeyOf(secret);
  return encoded === undefined
    ? { key: secret, encoding: 'utf8' }
    : { key: encoded, encoding: 'base64' };
}

export interface DeliveryHeadersInput {
  eventId: string;
  eventType: string;
  /** 1 for the first. */
  attempt: number;
  /** The exact bytes to send, identical in every attempt. */
  body: Buffer | string;
  secret: string;
  /** Previous secrets that are still in their overlap period; they sign `webhook-signature` only. */
  previousSecrets?: readonly string[];
  /** When this attempt is sent. */
  now: Date;
}

/** Builds all headers of a webhook request (partner API docs, webhooks). */
export function deliveryHeaders(input: DeliveryHeadersInput): Record<string, string> {
  const timestampSeconds = Math.floor(input.now.getTime() / 1_000);
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-service-signature': signBody(input.secret, input.body),
    'x-service-signature-timestamped': timestampedSignature(
      input.secret,
      input.body,
      timestampSeconds,
    ),
    'x-service-event-id': input.eventId,
    'x-service-event-type': input.eventType,
    'x-service-delivery-attempt': String(input.attempt),
    'webhook-id': input.eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': standardWebhookSignature({
      secrets: [input.secret, ...(input.previousSecrets ?? [])],
      id: input.eventId,
      timestampSeconds,
      body: input.body,
    }),
  };
}
