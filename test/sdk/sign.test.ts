import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalQuery, canonicalString, signatureHeaders } from '../../sdk/src/sign.ts';
import {
  isValidSignature,
  canonicalString as serversString,
} from '../../shared/people/partners/request-signature.ts';

const KEYS = { keyId: 'pk_sandbox_example', secret: 'sk_sandbox_this-is-an-example' };
const text = fc.string({ unit: 'grapheme', maxLength: 12 });

describe('SDK signatures', () => {
  it('match what the service computes for any query and body', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
        fc.array(fc.tuple(text, text), { maxLength: 5 }),
        fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
        fc.nat(4e12),
        (method, query, body, nowMs) => {
          const request = { method, path: '/api/partner/v1/orders', query, body, nowMs };
          const headers = signatureHeaders(KEYS, request);
          const sent = {
            method,
            path: request.path,
            query: canonicalQuery(query),
            timestamp: headers['X-Service-Timestamp'] ?? '',
            nonce: headers['X-Service-Nonce'] ?? '',
            body: Buffer.from(body ?? ''),
          };
          expect(canonicalString({ ...request, nonce: sent.nonce })).toBe(serversString(sent));
          const signature = headers['X-Service-Signature'] ?? '';
          expect(isValidSignature(KEYS.secret, serversString(sent), signature)).toBe(true);
        },
      ),
    );
  });

  it('match the example in docs/signing.md', () => {
    const headers = signatureHeaders(
      {
        keyId: 'pk_sandbox_0123456789abcdefABCDEFGH',
        secret: 'sk_sandbox_this-is-an-example-and-opens-nothing-000000',
      },
      {
        method: 'GET',
        path: '/api/partner/v1/domains/search',
        query: [...new URLSearchParams('tld=com,io&q=coffee+shop+(Berlin)')],
        body: undefined,
        nowMs: 1_797_000_000_999,
        nonce: '7d9f1c52-3a5e-4b8a-9f7e-2c1d0e4b6a88',
      },
    );
    expect(headers['X-Service-Signature']).toBe(
      'v1=c2755e7cf88fbaa57f8fb821742a60b69e2f0d070f7638490c0d9eb1b209c04a',
    );
  });
});
