import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toASCII } from 'tr46';
import { parseDomain } from '../../../shared/market/names/domain-name.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';

/** The message of the single error, or undefined if the name is accepted. */
function faultOf(input: string): string | undefined {
  try {
    parseDomain(input, '?domain');
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.code).toBe('validation_error');
    const [fault] = error.details as { path: string; message: string }[];
    expect(fault?.path).toBe('?domain');
    return fault?.message;
  }
}

describe('parsing a domain name', () => {
  it('splits it at its public suffix', () => {
    expect(parseDomain('neonwallet.com')).toEqual({
      ascii: 'neonwallet.com',
      unicode: 'neonwallet.com',
      sld: 'neonwallet',
      tld: 'com',
    });
    expect(parseDomain('tidy-cart.co.uk')).toMatchObject({ sld: 'tidy-cart', tld: 'co.uk' });
    expect(parseDomain('www.ck')).toMatchObject({ sld: 'www', tld: 'ck' });
  });

  it.each([
    ['  NeonWallet.COM ', 'neonwallet.com'],
    ['neonwallet.com.', 'neonwallet.com'],
    ['neonwallet.com。', 'neonwallet.com'],
    ['ｎｅｏｎｗａｌｌｅｔ．ｃｏｍ', 'neonwallet.com'],
    ['neon\u00adwal\u200blet.com', 'neonwallet.com'],
    ['Müller.de', 'xn--mller-kva.de'],
    ['MU\u0308LLER.de', 'xn--mller-kva.de'],
    ['XN--MLLER-KVA.DE', 'xn--mller-kva.de'],
    ['straße.de', 'xn--strae-oqa.de'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['col·legi.cat', 'xn--collegi-xma.cat'],
  ])('normalizes %j to %s', (input, ascii) => {
    expect(parseDomain(input).ascii).toBe(ascii);
  });

  it('returns its Unicode spelling and its parts as A-labels', () => {
    expect(parseDomain('пример.рф')).toEqual({
      ascii: 'xn--e1afmkfd.xn--p1ai',
      unicode: 'пример.рф',
      sld: 'xn--e1afmkfd',
      tld: 'xn--p1ai',
    });
  });

  it('accepts top-level domains reserved for tests', () => {
    expect(parseDomain('anything.example').tld).toBe('example');
    expect(parseDomain('anything.test').tld).toBe('test');
  });

  it('accepts names under which others offer subdomains', () => {
    expect(parseDomain('github.io')).toMatchObject({ sld: 'github', tld: 'io' });
  });

  it.each([
    ['', /such as example.com/],
    ['   ', /such as example.com/],
    ['.', /such as example.com/],
    ['com', /name before the public suffix .com/],
    ['co.uk', /name before the public suffix .co.uk/],
    ['test', /name before|public suffix/],
    ['www.example.com', /did you mean example.com/],
    ['shop.tidycart.co.uk', /did you mean tidycart.co.uk/],
    ['someone.github.io', /did you mean github.io/],
    ['neonwallet', /public suffix/],
    ['neonwallet.notatld', /public suffix/],
    ['neonwallet.localhost', /public suffix/],
    ['1.2.3.4', /IP address/],
    ['127.1', /public suffix/],
    ['[::1]', /without scheme/],
    ['https://neonwallet.com', /without scheme/],
    ['neonwallet.com/path', /without scheme/],
    ['neonwallet.com:443', /without scheme/],
    ['me@neonwallet.com', /not an email address/],
    ['mailto:me@neonwallet.com', /not an email address/],
    ['https://me@neonwallet.com', /without scheme/],
    ['*.neonwallet.com', /wildcard/],
    ['*.com', /wildcard/],
    ['neon wallet.com', /spaces/],
    ['neon\u00a0wallet.com', /spaces/],
    ['neon\u0000wallet.com', /control/],
    ['neon\ud800wallet.com', /control/],
    ['neonwallet..com', /empty label/],
    ['.neonwallet.com', /empty label/],
    ['neonwallet.com..', /empty label/],
    ['neon_wallet.com', /letters, digits and hyphens, not _$/],
    ["neon'wallet.com", /not '$/],
    ['-neon.com', /hyphen at either end/],
    ['neon-.com', /hyphen at either end/],
    ['ne--on.com', /IDNA/],
    ['xn--.com', /IDNA/],
    ['xn--zzzzzzzz.com', /IDNA/],
    ['xn--neonwallet-.com', /IDNA/],
    ['💎.com', /letters, digits and hyphens/],
    ['xn--i-7iq.ws', /letters, digits and hyphens/],
    ['neon·wallet.com', /letters, digits and hyphens/],
    ['pаypal.com', /look-alike/],
  ])('rejects %j and says why', (input, message) => {
    expect(faultOf(input)).toMatch(message);
  });

  it('enforces the length limits of DNS', () => {
    const long = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(62)).join('.');
    expect(faultOf(`${'a'.repeat(63)}.com`)).toBeUndefined();
    expect(faultOf(`${'a'.repeat(64)}.com`)).toMatch(/at most 63/);
    expect(faultOf(`${'ü'.repeat(60)}.com`)).toMatch(/at most 63/);
    expect(faultOf(`${long}.com`)).toMatch(/at most 253/);
    expect(faultOf('a'.repeat(100_000))).toMatch(/at most 253/);
  });
});

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9]{0,20}[a-z0-9])?$/);
const unicodeLabel = fc.oneof(
  label,
  fc.string({ unit: fc.constantFrom(...'aäbçdéñøßüžж例あ한ا'), minLength: 1, maxLength: 12 }),
);
const suffix = fc.constantFrom('com', 'io', 'co.uk', 'de', 'рф', '公司.cn', 'example');
const anyCase = (text: string) => fc.constantFrom(text, text.toUpperCase(), ` ${text}. `);
const plausible = fc.tuple(unicodeLabel, suffix).chain(([name, tld]) => anyCase(`${name}.${tld}`));

describe('domain parsing', () => {
  it('is idempotent, and every accepted spelling leads to the same name', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(plausible, fc.string({ unit: 'binary', maxLength: 80 })), (input) => {
        if (faultOf(input) !== undefined) return;
        accepted += 1;
        const name = parseDomain(input);
        expect(parseDomain(name.ascii)).toEqual(name);
        expect(parseDomain(name.unicode)).toEqual(name);
        expect(parseDomain(`${name.ascii.toUpperCase()}.`)).toEqual(name);
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  it('accepts only plain, lowercase names within the limits of DNS', () => {
    fc.assert(
      fc.property(plausible, (input) => {
        if (faultOf(input) !== undefined) return;
        const { ascii, sld, tld } = parseDomain(input);
        expect(ascii).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
        expect(ascii.length).toBeLessThanOrEqual(253);
        expect(`${sld}.${tld}`).toBe(ascii);
        expect(sld).not.toContain('.');
      }),
      { numRuns: 1_000 },
    );
  });

  it('throws nothing but validation errors', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (input) => {
        faultOf(input);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('parsing plain ASCII domains', () => {
  const ldh = fc.stringMatching(/^[a-zA-Z0-9-]{1,12}$/);

  it('agrees with UTS 46 on every name of letters, digits, and hyphens', () => {
    fc.assert(
      fc.property(ldh, (label) => {
        const options = {
          checkBidi: true,
          checkHyphens: true,
          checkJoiners: true,
          useSTD3ASCIIRules: true,
          transitionalProcessing: false,
        };
        const expected = toASCII(`${label}.com`, options);
        let parsed: string | null = null;
        try {
          parsed = parseDomain(`${label}.com`).ascii;
        } catch {
          // Rejected: UTS 46 must reject it, too, unless it is an A-label that IDNA 2008 rejects.
        }
        if (parsed !== null) expect(parsed).toBe(expected);
        else if (!/^xn--/i.test(label)) expect(expected).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });
});
