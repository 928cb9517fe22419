import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  deliveryHeaders,
  describeNonStandardSecret,
  signBody,
  standardWebhookSignature,
  timestampedSignature,
} from '../../../shared/messaging/webhooks/webhook-signature.ts';

// The test vector of the Standard Webhooks reference implementations.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const VECTOR = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const VECTOR_SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('X-Service-Signature', () => {
  // Test cases from RFC 4231 whose key is valid UTF-8.
  it.each([
    [
      '\x0b'.repeat(20),
      'Hi There',
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    ],
    [
      'Jefe',
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      Buffer.from('0102030405060708090a0b0c0d0e0f10111213141516171819', 'hex').toString(),
      Buffer.alloc(50, 0xcd),
      '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
    ],
  ])('is the HMAC-SHA256 of RFC 4231 (%#)', (key, data, expected) => {
    expect(signBody(key, data)).toBe(expected);
  });

  it('signs bytes, with the whole text of the secret as the key', () => {
    const body = Buffer.from('{"name":"Zoë"}');
    expect(signBody(SECRET, body)).toBe(signBody(SECRET, '{"name":"Zoë"}'));
    expect(signBody(SECRET, body)).not.toBe(signBody(SECRET.slice('whsec_'.length), body));
    expect(signBody(SECRET, body)).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('webhook-signature', () => {
  it('matches the reference vector', () => {
    expect(standardWebhookSignature({ ...VECTOR, secrets: [SECRET] })).toBe(VECTOR_SIGNATURE);
  });

  it('contains one signature for each secret, in order', () => {
    const both = standardWebhookSignature({ ...VECTOR, secrets: ['a new plain secret', SECRET] });
    const [first, second] = both.split(' ');
    expect(second).toBe(VECTOR_SIGNATURE);
    expect(first).toBe(standardWebhookSignature({ ...VECTOR, secrets: ['a new plain secret'] }));
  });
});

describe('delivery headers', () => {
  const body = Buffer.from(JSON.stringify({ id: 'evt_1', type: 'order.recorded', name: 'Zoë' }));
  const input = {
    eventId: 'evt_1',
    eventType: 'order.recorded',
    attempt: 3,
    body,
    secret: 'a plain secret of a partner',
  };

  it('are exactly those in the documentation', () => {
    const headers = deliveryHeaders({ ...input, now: new Date(1_614_265_330_999) });
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'DomainMarketplace-Webhooks/1',
      'x-service-signature': signBody(input.secret, body),
      'x-service-signature-timestamped': timestampedSignature(input.secret, body, 1_614_265_330),
      'x-service-event-id': 'evt_1',
      'x-service-event-type': 'order.recorded',
      'x-service-delivery-attempt': '3',
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1614265330',
      'webhook-signature': standardWebhookSignature({
        secrets: [input.secret],
        id: 'evt_1',
        timestampSeconds: 1_614_265_330,
        body,
      }),
    });
  });

  it('verify with the standard webhooks library for any kind of secret', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ minLength: 16, maxLength: 256, unit: 'binary' }),
          fc
            .uint8Array({ minLength: 24, maxLength: 64 })
            .map((key) => `whsec_${Buffer.from(key).toString('base64')}`),
        ),
        fc.jsonValue(),
        (secret, data) => {
          const sent = Buffer.from(JSON.stringify({ data }));
          const headers = deliveryHeaders({ ...input, body: sent, secret, now: new Date() });
          const stock = secret.startsWith('whsec_')
            ? new Webhook(secret)
            : new Webhook(Buffer.from(secret), { format: 'raw' });
          expect(stock.verify(sent, headers)).toEqual(JSON.parse(sent.toString()));
        },
      ),
    );
  });

  it('verify with the old and the new secret during rotation', () => {
    const headers = deliveryHeaders({ ...input, previousSecrets: [SECRET], now: new Date() });
    const { secret } = input;
    new Webhook(SECRET).verify(body, headers);
    new Webhook(Buffer.from(secret), { format: 'raw' }).verify(body, headers);
    expect(headers['x-service-signature']).toBe(signBody(secret, body));
    expect(() => new Webhook('whsec_c29tZSBvdGhlciBrZXk=').verify(body, headers)).toThrow();
  });

  it('use the UTF-8 bytes of a secret that only begins like one of that library', () => {
    const secret = 'whsec_test_secret_of_a_partner';
    const headers = deliveryHeaders({ ...input, secret, now: new Date() });
    expect(headers['x-service-signature']).toBe(signBody(secret, body));
    new Webhook(Buffer.from(secret), { format: 'raw' }).verify(body, headers);
  });
});

describe('webhook secrets of Standard Webhooks', () => {
  it('need a key of at least 24 bytes after whsec_', () => {
    const ofBytes = (count: number) => `whsec_${Buffer.alloc(count, 1).toString('base64')}`;
    for (const few of [1, 9, 23]) {
      expect(describeNonStandardSecret(ofBytes(few))).toMatch(/24 bytes/);
    }
    for (const enough of [24, 32, 64]) {
      expect(describeNonStandardSecret(ofBytes(enough))).toBeNull();
    }
    // A secret that was stored earlier can still sign.
    const signed = { secrets: [ofBytes(9)], id: 'evt_1', timestampSeconds: 1, body: '{}' };
    expect(standardWebhookSignature(signed)).toMatch(/^v1,/);
  });

  it.each(['a plain secret of a partner', SECRET, 'whsec', 'sixteen chars !!'])(
    'may be %s',
    (secret) => {
      expect(describeNonStandardSecret(secret)).toBeNull();
    },
  );

  it.each([
    'whsec_',
    'whsec_not base64 at all',
    'whsec_abc',
    'whsec_ab-_',
    'whsec_YQ=='.slice(0, -1),
  ])('may not be %s, which the standard library could not read', (secret) => {
    expect(describeNonStandardSecret(secret)).toMatch(/^must /);
    expect(() => new Webhook(secret)).toThrow();
  });
});
