import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WebhookVerificationError } from '../../sdk/src/errors.ts';
import { orderIn } from '../../sdk/src/order-in.ts';
import { verifyWebhook } from '../../sdk/src/webhooks.ts';
import { deliveryHeaders } from '../../shared/messaging/webhooks/webhook-signature.ts';

const NOW = new Date('2026-11-21T09:30:00.000Z');
const OLD = 'the-old-secret-of-the-endpoint';
const NEW = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
const EVENT = {
  id: 'evt_01k6q0v1a2e3rs8h9m4n5p6q7w',
  type: 'order.recorded',
  created_at: '2026-11-21T09:30:00.000Z',
  partner_id: 'ptr_01k6q0tz9ffemvn3j5t8w2x4y6',
  data: { order: { public_id: 'ord_1', domain: 'café.example', status: 'EXTERNALLY_PAID' } },
};
const BODY = JSON.stringify(EVENT);

const headersOf = (secret: string, previousSecrets: string[] = [], body: string = BODY) =>
  deliveryHeaders({
    eventId: EVENT.id,
    eventType: EVENT.type,
    attempt: 1,
    body,
    secret,
    previousSecrets,
    now: NOW,
  });
const now = () => NOW.getTime();

function reasonOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
  return undefined;
}

describe('verifyWebhook', () => {
  it.each([OLD, NEW, 'whsec_test_secret_of_a_partner'])(
    'accepts what the service signed with %s, by either signature scheme',
    (secret) => {
      const headers = headersOf(secret);
      const signature = headers['x-service-signature'];
      expect(verifyWebhook({ body: BODY, signature, secret })).toEqual(EVENT);
      expect(verifyWebhook({ body: Buffer.from(BODY), signature, secret })).toEqual(EVENT);
      expect(verifyWebhook({ body: BODY, headers, secret, now })).toEqual(EVENT);
      expect(verifyWebhook({ body: BODY, headers: new Headers(headers), secret, now })).toEqual(
        EVENT,
      );
      const shouted = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
      );
      expect(verifyWebhook({ body: BODY, headers: shouted, secret, now })).toEqual(EVENT);
    },
  );

  it('returns events typed by their type', () => {
    const signature = headersOf(OLD)['x-service-signature'];
    const event = verifyWebhook({ body: BODY, signature, secret: OLD });
    expect(orderIn(event)?.domain).toBe('café.example');
    expect(orderIn({ ...event, type: 'webhook.ping', data: {} })).toBeUndefined();
    // The compiler knows what a narrowed event carries.
    if (event.type === 'order.recorded') expect(event.data.order.domain).toBe('café.example');
    else throw new Error('not reached');
  });

  it('accepts the old and the new secret during a rotation', () => {
    const headers = headersOf(NEW, [OLD]);
    // The standard headers carry a signature of each secret meanwhile.
    expect(verifyWebhook({ body: BODY, headers, secret: OLD, now })).toEqual(EVENT);
    expect(verifyWebhook({ body: BODY, headers, secret: NEW, now })).toEqual(EVENT);
    const signature = headers['x-service-signature'];
    expect(reasonOf(() => verifyWebhook({ body: BODY, signature, secret: OLD }))).toBe(
      'signature_mismatch',
    );
    expect(verifyWebhook({ body: BODY, signature, secret: [OLD, NEW] })).toEqual(EVENT);
    expect(verifyWebhook({ body: BODY, headers: headersOf(OLD), secret: [NEW, OLD], now })).toEqual(
      EVENT,
    );
  });

  it('rejects a body with any changed byte', () => {
    const headers = headersOf(NEW);
    const bytes = Buffer.from(BODY);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const body = Buffer.from(bytes);
        body[at] = (body[at] ?? 0) ^ by;
        const signature = headers['x-service-signature'];
        expect(reasonOf(() => verifyWebhook({ body, signature, secret: NEW }))).toBe(
          'signature_mismatch',
        );
        expect(reasonOf(() => verifyWebhook({ body, headers, secret: NEW, now }))).toBe(
          'signature_mismatch',
        );
      }),
    );
  });

  it('throws when the secret or headers are missing', () => {
    const headers = headersOf(NEW);
    const nothing = undefined as unknown as string;
    for (const secret of [nothing, '', [], [NEW, nothing]]) {
      expect(() => verifyWebhook({ body: BODY, headers, secret, now })).toThrow(
        new TypeError('verifyWebhook needs the secret of the endpoint'),
      );
    }
    const noHeaders = undefined as unknown as Headers;
    expect(() => verifyWebhook({ body: BODY, headers: noHeaders, secret: NEW, now })).toThrow(
      new TypeError('verifyWebhook needs the headers of the request'),
    );
  });

  it('rejects a changed ID, time or secret and a missing signature', () => {
    const headers = headersOf(NEW);
    const refusal = (changed: Record<string, string | undefined>, secret = NEW) =>
      reasonOf(() =>
        verifyWebhook({ body: BODY, headers: { ...headers, ...changed }, secret, now }),
      );
    expect(refusal({ 'webhook-id': 'evt_another' })).toBe('signature_mismatch');
    const seconds = Number(headers['webhook-timestamp']);
    expect(refusal({ 'webhook-timestamp': String(seconds + 1) })).toBe('signature_mismatch');
    expect(refusal({}, 'whsec_QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB')).toBe('signature_mismatch');
    expect(refusal({ 'webhook-signature': 'v1,' })).toBe('signature_mismatch');
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      expect(refusal({ [name]: undefined })).toBe('missing_header');
    }
    for (const signature of [undefined, null, '']) {
      expect(reasonOf(() => verifyWebhook({ body: BODY, signature, secret: NEW }))).toBe(
        'missing_header',
      );
    }
    const upper = headers['x-service-signature']?.toUpperCase();
    expect(reasonOf(() => verifyWebhook({ body: BODY, signature: upper, secret: NEW }))).toBe(
      'signature_mismatch',
    );
  });

  it('rejects a delivery outside the five-minute or configured tolerance', () => {
    const headers = headersOf(NEW);
    const at = (seconds: number, toleranceSeconds?: number) =>
      reasonOf(() =>
        verifyWebhook({
          body: BODY,
          headers,
          secret: NEW,
          now: () => NOW.getTime() + seconds * 1_000,
          ...(toleranceSeconds !== undefined && { toleranceSeconds }),
        }),
      );
    expect([at(300), at(-300), at(3, 2)]).toEqual([undefined, undefined, 'timestamp_out_of_range']);
    expect([at(301), at(-301)]).toEqual(['timestamp_out_of_range', 'timestamp_out_of_range']);
    const odd = { ...headers, 'webhook-timestamp': 'soon' };
    expect(reasonOf(() => verifyWebhook({ body: BODY, headers: odd, secret: NEW, now }))).toBe(
      'timestamp_out_of_range',
    );
  });

  it('rejects a parsed body and an empty secret', () => {
    const parsed = EVENT as unknown as string;
    expect(() => verifyWebhook({ body: parsed, signature: 'x', secret: NEW })).toThrow('raw body');
    expect(() => verifyWebhook({ body: BODY, signature: 'x', secret: '' })).toThrow('secret');
    expect(() => verifyWebhook({ body: BODY, signature: 'x', secret: [] })).toThrow('secret');
  });

  it('rejects a signed body that is not JSON', () => {
    const signature = headersOf(OLD, [], 'hello')['x-service-signature'];
    expect(reasonOf(() => verifyWebhook({ body: 'hello', signature, secret: OLD }))).toBe(
      'malformed_body',
    );
  });
});
