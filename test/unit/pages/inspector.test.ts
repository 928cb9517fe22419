import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
// @ts-expect-error: a browser script without types.
import * as inspector from '../../../api/pages/docs/inspector.js';
import {
  canonicalString,
  computeSignature,
} from '../../../shared/people/partners/request-signature.ts';

const part = fc.string({ unit: 'binary', maxLength: 12 });
const pair = fc.tuple(part, part, fc.boolean());
const query = fc.array(pair, { maxLength: 5 }).map((pairs) =>
  pairs
    .map(([name, value, plus]) => {
      const text = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
      return plus ? text.replaceAll('%20', '+') : text;
    })
    .join('&'),
);

describe("the portal's request inspector", () => {
  it('computes the same canonical string and signature as the server', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          method: fc.constantFrom('GET', 'POST', 'put', 'DELETE'),
          path: fc.constantFrom('/api/partner/v1/orders', '/api/partner/webhooks'),
          query,
          timestamp: fc.nat().map(String),
          nonce: fc.uuid(),
          body: fc.string({ unit: 'binary' }),
        }),
        fc.string({ minLength: 1, unit: 'binary' }),
        async (request, secret) => {
          const expected = canonicalString({
            ...request,
            method: request.method.toUpperCase(),
            body: Buffer.from(request.body),
          });
          const { canonical } = await inspector.canonicalRequest(request);
          expect(canonical).toBe(expected);
          expect(await inspector.signatureOf(secret, canonical)).toBe(
            `v1=${computeSignature(secret, expected)}`,
          );
        },
      ),
    );
  });

  it('refuses a query that no server can decode', () => {
    expect(() => inspector.canonicalQuery('q=%zz')).toThrow(URIError);
  });

  it('prints a curl command that a shell can run as is, without the secret', () => {
    const request = {
      method: 'POST',
      path: '/api/partner/v1/quotes',
      query: '',
      keyId: 'pk_sandbox_x',
      timestamp: '1',
      nonce: 'n',
      body: `{"domain":"o'neil.com"}`,
    };
    expect(inspector.curlOf(request, 'v1=abc', 'http://localhost:3000')).toBe(
      `curl -X 'POST' 'http://localhost:3000/api/partner/v1/quotes' \\
  -H 'X-Service-Key-Id: pk_sandbox_x' \\
  -H 'X-Service-Timestamp: 1' \\
  -H 'X-Service-Nonce: n' \\
  -H 'X-Service-Signature: v1=abc' \\
  -H 'Content-Type: application/json' \\
  --data-binary '{"domain":"o'\\''neil.com"}'`,
    );
  });
});
