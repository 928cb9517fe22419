import { createHmac, timingSafeEqual } from 'node:crypto';
import { WebhookVerificationError } from './errors.ts';
import type { ThinEvent, WebhookEvent } from './generated/types.ts';

const STANDARD_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

type HeaderBag =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

interface Delivery {
  /** The raw body exactly as it arrived, neither parsed nor re-serialized. */
  body: string | Uint8Array;
  /** The endpoint's secret, or several during a rotation. */
  secret: string | readonly string[];
}

/** A delivery to verify by `X-Service-Signature`, which covers the body. */
export interface SignatureDelivery extends Delivery {
  signature: string | null | undefined;
}

/** A delivery to verify by the Standard Webhooks headers, which also cover the event ID and the time. */
export interface HeadersDelivery extends Delivery {
  headers: HeaderBag;
  /** The maximum difference from the sending time, in seconds. Defaults to 300. */
  toleranceSeconds?: number;
  /** Returns the current time in Unix milliseconds. Defaults to the machine's clock. */
  now?: () => number;
}

/** Returns the event of a genuine delivery; `payload` defaults to `full`. @throws WebhookVerificationError otherwise */
export function verifyWebhook(
  delivery: (SignatureDelivery | HeadersDelivery) & { payload: 'thin' },
): ThinEvent;
export function verifyWebhook(
  delivery: (SignatureDelivery | HeadersDelivery) & { payload?: 'full' },
): WebhookEvent;
export function verifyWebhook(
  delivery: SignatureDelivery | HeadersDelivery,
): WebhookEvent | ThinEvent {
  if (typeof delivery.body !== 'string' && !(delivery.body instanceof Uint8Array)) {
    throw new TypeError('verifyWebhook needs the raw body: a string or bytes, not a parsed object');
  }
  const secrets = typeof delivery.secret === 'string' ? [delivery.secret] : delivery.secret;
  // The usual cause is an environment variable that is not set.
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every(isText)) {
    throw new TypeError('verifyWebhook needs the secret of the endpoint');
  }
  if ('headers' in delivery && !delivery.headers) {
    throw new TypeError('verifyWebhook needs the headers of the request');
  }
  if ('headers' in delivery) verifyStandard(delivery, secrets);
  else verifyBody(delivery, secrets);
  return eventIn(delivery.body);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function verifyBody({ body, signature }: SignatureDelivery, secrets: readonly string[]): void {
  if (!signature) throw missing('X-Service-Signature');
  const given = Buffer.from(signature, 'utf8');
  const genuine = secrets.map((secret) =>
    same(given, Buffer.from(createHmac('sha256', secret).update(body).digest('hex'))),
  );
  if (!genuine.includes(true)) throw mismatch();
}

function verifyStandard(delivery: HeadersDelivery, secrets: readonly string[]): void {
  const { body, headers, toleranceSeconds = 300, now = Date.now } = delivery;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const given = headerOf(headers, 'webhook-signature')
    .split(' ')
    .map((each) => Buffer.from(each, 'utf8'));
  const age = Math.abs(now() / 1_000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookVerificationError(
      'timestamp_out_of_range',
      `webhook-timestamp is more than ${toleranceSeconds} s off. A replay, or a clock that is wrong.`,
    );
  }
  const genuine = secrets.flatMap((secret) => {
    const hmac = createHmac('sha256', standardKey(secret));
    const digest = hmac.update(`${id}.${timestamp}.`).update(body).digest('base64');
    return given.map((each) => same(each, Buffer.from(`v1,${digest}`)));
  });
  if (!genuine.includes(true)) throw mismatch();
}

/** Decodes a secret: padded base64 after `whsec_`, otherwise its UTF-8 bytes. */
function standardKey(secret: string): Buffer {
  const encoded = secret.slice(STANDARD_PREFIX.length);
  return secret.startsWith(STANDARD_PREFIX) && BASE64.test(encoded)
    ? Buffer.from(encoded, 'base64')
    : Buffer.from(secret, 'utf8');
}

function headerOf(headers: HeaderBag, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw missing(name);
  return value;
}

function isHeaders(headers: HeaderBag): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

function same(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function eventIn(body: string | Uint8Array): WebhookEvent | ThinEvent {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    throw new WebhookVerificationError('malformed_body', 'The body is signed, and is no JSON.');
  }
}

function missing(name: string): WebhookVerificationError {
  return new WebhookVerificationError('missing_header', `The header ${name} is missing.`);
}

function mismatch(): WebhookVerificationError {
  return new WebhookVerificationError(
    'signature_mismatch',
    'No signature holds. The secret is another one, or the body is not the raw one that was sent.',
  );
}
