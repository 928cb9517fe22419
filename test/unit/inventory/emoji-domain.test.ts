import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type DomainName,
  parseDomain,
  parseDomainToList,
  parseMarketDomain,
  unicodeOf,
} from '../../../shared/market/names/domain-name.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';

const TAKERS = new Set(['ws', 'to', 'fm']);
const toList = (input: string) => parseDomainToList(input, '/domain', TAKERS);

function faultOf(parse: () => DomainName): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const [fault] = error.details as { message: string }[];
    return fault?.message;
  }
}

describe('listing an emoji domain', () => {
  it('stores its A-labels and shows it in Unicode', () => {
    expect(toList('☕.ws')).toEqual({
      ascii: 'xn--53h.ws',
      unicode: '☕.ws',
      sld: 'xn--53h',
      tld: 'ws',
    });
  });

  it.each([
    ['☕\ufe0f.ws', 'xn--53h.ws', '☕.ws'],
    ['❤️.ws', 'xn--qei.ws', '❤.ws'],
    ['XN--53H.WS.', 'xn--53h.ws', '☕.ws'],
    ['i❤️.ws', 'xn--i-7iq.ws', 'i❤.ws'],
    ['☕Shop24.to', 'xn--shop24-h88c.to', '☕shop24.to'],
    ['👁👄👁.fm', 'xn--mp8hai.fm', '👁👄👁.fm'],
    ['👍🏽.ws', 'xn--on8h5e.ws', '👍🏽.ws'],
    ['🇩🇪🇫🇷.ws', 'xn--h77hcd2c.ws', '🇩🇪🇫🇷.ws'],
    ['1️⃣.ws', 'xn--1-2sn.ws', '1⃣.ws'],
    ['☕-müller.ws', 'xn---mller-4ya7807e.ws', '☕-müller.ws'],
    // UTS 46 maps some emoji to letters.
    ['™️.ws', 'tm.ws', 'tm.ws'],
    ['㊗️.ws', 'xn--bjz.ws', '祝.ws'],
  ])('normalizes %j to %s', (input, ascii, unicode) => {
    expect(toList(input)).toMatchObject({ ascii, unicode });
  });

  it.each([
    ['☕.com', /only under \.fm, \.to, and \.ws$/],
    ['☕.com.ws', /only under \.fm, \.to, and \.ws$/],
    ['👩\u200d💻.ws', /combine several/],
    ['\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.ws', /combine several/],
    ['👍🏽\u200d.ws', /combine several/],
    ['★.ws', /letters, digits and hyphens/],
    ['❤🏽.ws', /letters, digits and hyphens/],
    ['🇩.ws', /letters, digits and hyphens/],
    ['🏽.ws', /letters, digits and hyphens/],
    ['☕★.ws', /letters, digits and hyphens/],
    ['l☕·l.ws', /letters, digits and hyphens/],
    ['☕pаypal.ws', /look-alike/],
    ['-☕.ws', /hyphen at either end/],
    ['shop.☕.ws', /did you mean xn--53h\.ws/],
    // With a variation selector, which no client would look up.
    ['xn--53hw110f.ws', /IDNA/],
  ])('rejects %j and says why', (input, message) => {
    expect(faultOf(() => toList(input))).toMatch(message);
  });

  it('names no suffix in the error if none is known to allow emoji', () => {
    const fault = faultOf(() => parseDomainToList('☕.ws', '/domain', new Set()));
    expect(fault).toMatch(/only under suffixes whose registry takes them$/);
  });

  it('gives every spelling the same name', () => {
    const sign = fc.constantFrom('☕', '❤️', '👍🏽', '🇩🇪', '1️⃣', '🚀', 'ü', 'a', '-', '7');
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(sign, { minLength: 1, maxLength: 8 }), (signs) => {
        const input = `${signs.join('')}.ws`;
        if (faultOf(() => toList(input)) !== undefined) return;
        accepted += 1;
        const name = toList(input);
        expect(name.ascii).toMatch(/^[a-z0-9-]+\.ws$/);
        expect(toList(name.ascii)).toEqual(name);
        expect(toList(name.unicode)).toEqual(name);
        expect(parseMarketDomain(input)).toEqual(name);
      }),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

describe('looking up an emoji domain on the market', () => {
  it('accepts any country code, since registries change their policies', () => {
    expect(parseMarketDomain('☕.ws').ascii).toBe('xn--53h.ws');
    expect(parseMarketDomain('☕.de').ascii).toBe('xn--53h.de');
  });

  it.each(['☕.com', '☕.shop', '☕.рф'])('never accepts a generic TLD: %s', (input) => {
    expect(faultOf(() => parseMarketDomain(input))).toMatch(/only under some country codes/);
  });
});

describe('registering an emoji domain', () => {
  it('is refused for any suffix', () => {
    expect(faultOf(() => parseDomain('☕.ws'))).toMatch(/emoji domains cannot be registered here/);
  });
});

describe('a stored domain', () => {
  it.each([
    ['xn--53h.ws', '☕.ws'],
    ['xn--bcher-kva.example', 'bücher.example'],
    ['plain.com', 'plain.com'],
    ['xn--a.com', 'xn--a.com'],
  ])('%s is shown as %s, whatever rules it was accepted under', (domain, unicode) => {
    expect(unicodeOf(domain)).toBe(unicode);
  });
});
