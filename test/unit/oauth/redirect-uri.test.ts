import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeRedirectTarget, redirectKind } from '../../../api/oauth/client-registration.ts';

describe('redirect URIs', () => {
  const address = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string(),
    fc
      .tuple(
        fc.constantFrom(
          'javascript',
          'data',
          'com.example.app',
          'myapp',
          'x-apple.settings',
          'http',
          'https',
          'JAVASCRIPT',
          '',
        ),
        fc.constantFrom(':', '://', ':/', ':\t//'),
        fc.constantFrom('localhost', '127.0.0.1', '[::1]', 'a.example', 'user@127.0.0.1', '127.1'),
        fc.string({ unit: 'grapheme' }),
      )
      .map((parts) => parts.join('')),
  );

  it('use HTTPS, loopback, or an app scheme, without user names and fragments', () => {
    fc.assert(
      fc.property(address, (uri) => {
        const kind = redirectKind(uri);
        if (kind === undefined) return;
        const { protocol, hostname, username, hash } = new URL(uri);
        expect([username, hash]).toEqual(['', '']);
        if (kind === 'web') expect(protocol).toBe('https:');
        if (kind === 'loopback') expect(['localhost', '127.0.0.1', '[::1]']).toContain(hostname);
        if (kind === 'private') expect(uri).toMatch(/^[a-z0-9-]+\.[a-z0-9.-]+:/i);
        expect(describeRedirectTarget(uri)).not.toBe('');
      }),
      { numRuns: 2_000 },
    );
  });
});
