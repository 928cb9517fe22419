import { createHmac } from 'node:crypto';

const USER_AGENT = 'DomainMarketplace-Webhooks/1';

const STANDARD_PREFIX = 'whsec_';
/** The least that the Standard Webhooks specification lets a symmetric secret have. */
const MIN_STANDARD_KEY_BYTES = 24;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** `X-Service-Signature`: lowercase hex HMAC-SHA256 of the raw body; the secret's UTF-8 bytes are the key. */
export function signBody(secret: string, body: Buffer | string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/**
 * `X-Service-Signature-Timestamped`: when it was signed, in seconds since 1970, and the lowercase hex HMAC-SHA256 of
 * that number, a dot and the body, so that a receiver can refuse what is too old.
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
  /** The newest first; during a rotation the old one as well. */
  secrets: readonly string[];
  id: string;
  timestampSeconds: number;
  body: Buffer | string;
}

/** `webhook-signature` of the Standard Webhooks specification: one `v1,<base64>` for each secret. */
export function standardWebhookSignature(input: StandardSignatureInput): string {
  return input.secrets
    .map((secret) => {
      const hmac = createHmac('sha256', standardKey(secret));
      hmac.update(`${input.id}.${input.timestampSeconds}.`).update(input.body);
      return `v1,${hmac.digest('base64')}`;
    })
    .join(' ');
}

/** What makes a secret unusable, as the end of a sentence that starts with the field's name, or null. */
export function describeUnusableSecret(secret: string): string | null {
  if (!secret.startsWith(STANDARD_PREFIX)) return null;
  const encoded = secret.slice(STANDARD_PREFIX.length);
  // Padding left out would be read by us and refused by the receiver's library.
  if (!BASE64.test(encoded)) return 'must be base64 with padding after the whsec_ prefix';
  return Buffer.from(encoded, 'base64').length < MIN_STANDARD_KEY_BYTES
    ? `must have a key of at least ${MIN_STANDARD_KEY_BYTES} bytes after the whsec_ prefix`
    : null;
}

function standardKey(secret: string): Buffer {
  return secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}

export interface DeliveryHeadersInput {
  eventId: string;
  eventType: string;
  /** 1 for the first. */
  attempt: number;
  /** The exact bytes that are sent, the same in every attempt. */
  body: Buffer | string;
  secret: string;
  /** Replaced secrets that are still in their overlap; they sign `webhook-signature` only. */
  previousSecrets?: readonly string[];
  /** When this attempt is sent. */
  now: Date;
}

/** All headers of a webhook request (partner API docs, webhooks). */
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
