import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseSearchInput } from '../../../shared/market/availability/search-availability.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';

const SUFFIXES = {
  chosen: undefined,
  usual: ['com', 'io', 'co.uk', 'xn--p1ai'],
  emoji: new Set(['ws', 'fm']),
};

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9]{0,12}[a-z0-9])?$/);
const unicodeLabel = fc.string({
  unit: fc.constantFrom(...'aäbçdéñøüžж例あ한ا'),
  minLength: 1,
  maxLength: 10,
});
const words = fc
  .array(fc.oneof(label, unicodeLabel), { minLength: 1, maxLength: 3 })
  .map((list) => list.join(' '));
const suffix = fc.constantFrom('', '.com', '.de', '.co.uk', '.рф', '.com.');
const prefix = fc.constantFrom('', 'www.', 'https://', 'HTTP://shop.');
const tail = fc.constantFrom('', '/path', ':8443', '?a=b#c');
const plausible = fc.tuple(prefix, words, suffix, tail).map((parts) => parts.join(''));
const anything = fc.oneof(plausible, words, fc.string({ unit: 'binary', maxLength: 60 }));

/** The parsed search, or undefined if the text is refused with a proper error. */
function read(q: string) {
  try {
    return parseSearchInput(q, SUFFIXES);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.code).toBe('validation_error');
    expect(error.details).toEqual([{ path: '/q', message: expect.any(String) }]);
    return undefined;
  }
}

describe('parsing a domain search', () => {
  it('yields one label under different suffixes, or an error naming the field', () => {
    let accepted = 0;
    fc.assert(
      fc.property(anything, (q) => {
        const asked = read(q);
        if (!asked) return;
        accepted += 1;
        const domains = asked.names.map(({ ascii }) => ascii);
        expect(domains.length).toBeGreaterThan(0);
        expect(new Set(domains).size).toBe(domains.length);
        for (const { sld } of asked.names) expect(sld).toBe(asked.label);
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(500);
  });

  it('yields the same name again for a name that it found', () => {
    fc.assert(
      fc.property(plausible, (q) => {
        const first = read(q)?.names[0];
        if (!first) return;
        for (const spelling of [first.ascii, first.unicode, `https://www.${first.ascii}/`]) {
          expect(parseSearchInput(spelling, SUFFIXES).names[0]).toEqual(first);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('allows emoji only where the registry does, in any spelling', () => {
    const domains = (q: string, chosen?: string[]) =>
      parseSearchInput(q, { ...SUFFIXES, chosen }).names.map(({ ascii }) => ascii);
    expect(domains('☕')).toEqual(['xn--53h.fm', 'xn--53h.ws']);
    expect(domains('☕\ufe0f', ['com', 'ws'])).toEqual(['xn--53h.ws']);
    for (const q of ['☕.ws', 'https://www.☕.ws/menu', 'xn--53h.ws']) {
      expect(domains(q)).toEqual(['xn--53h.ws', 'xn--53h.fm']);
    }
    for (const q of ['☕.com', 'xn--53h.com']) expect(() => domains(q)).toThrow();
    expect(() => domains('☕', ['com'])).toThrow();
  });

  it('lists the other suffixes in their configured order', () => {
    const domains = parseSearchInput('neon.io', SUFFIXES).names.map(({ ascii }) => ascii);
    expect(domains).toEqual(['neon.io', 'neon.com', 'neon.co.uk', 'neon.xn--p1ai']);
  });
});
