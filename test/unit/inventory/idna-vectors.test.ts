import { describe, expect, it } from '@jest/globals';
import { parseDomain, parseDomainOf, parseTld } from '../../../shared/market/names/domain-name.ts';

// Facts from Unicode's conformance data for UTS 46 (IdnaTestV2.txt, version 17) and from the toASCII cases
// that browsers are tested with. A label that is published alone or among others stands under .com here.

/** Published spelling → the published A-labels. */
const MAPPED: [string, string][] = [
  ['fass.de', 'fass.de'],
  ['fa\u00df.de', 'xn--fa-hia.de'],
  ['Fa\u00df.de', 'xn--fa-hia.de'],
  ['xn--fa-hia.de', 'xn--fa-hia.de'],
  ['B\u00fccher.de', 'xn--bcher-kva.de'],
  ['Bu\u0308cher.de', 'xn--bcher-kva.de'],
  ['BU\u0308CHER.DE', 'xn--bcher-kva.de'],
  ['O\u0308BB.com', 'xn--bb-eka.com'],
  ['\u03b2\u03cc\u03bb\u03bf\u03c2.com', 'xn--nxasmm1c.com'],
  ['\u03b2\u03bf\u0301\u03bb\u03bf\u03c2.com', 'xn--nxasmm1c.com'],
  ['\u0392\u039f\u0301\u039b\u039f\u03a3.COM', 'xn--nxasmq6b.com'],
  ['\u0392\u038c\u039b\u039f\u03a3.COM', 'xn--nxasmq6b.com'],
  ['\u65e5\u672c\u8a9e\u3002\uff2a\uff30', 'xn--wgv71a119e.jp'],
  ['\u65e5\u672c\u8a9e\u3002Jp', 'xn--wgv71a119e.jp'],
  ['xn--wgv71a119e.jp', 'xn--wgv71a119e.jp'],
  ['\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.COM', 'xn--mgba3gch31f060k.com'],
  ['\u0646\u0627\u0645\u0647\u0627\u06cc.com', 'xn--mgba3gch31f.com'],
  ['\u0dc1\u0dca\u200d\u0dbb\u0dd3.com', 'xn--10cl1a0b660p.com'],
  ['\u0dc1\u0dca\u0dbb\u0dd3.com', 'xn--10cl1a0b.com'],
  ['a\u094d\u200cb.com', 'xn--ab-fsf604u.com'],
  ['A\u094d\u200cB.com', 'xn--ab-fsf604u.com'],
  ['a\u094d\u200db.com', 'xn--ab-fsf014u.com'],
  ['a\u094db.com', 'xn--ab-fsf.com'],
  ['\u0bb9\u0bcd\u200d.com', 'xn--dmc4b194h.com'],
  ['\u0bb9\u0bcd\u200c.com', 'xn--dmc4by94h.com'],
  ['\u0bb9\u0bcd.com', 'xn--dmc4b.com'],
  ['\u0644\u0670\u200c\u06ed\u06ef.com', 'xn--ghb2gxqia7523a.com'],
  ['\u0644\u0670\u06ed\u06ef.com', 'xn--ghb2gxqia.com'],
  ['\u0644\u0670\u200c\u06ef.com', 'xn--ghb2g3qq34f.com'],
  ['\u0644\u200c\u06ed\u06ef.com', 'xn--ghb25aga828w.com'],
  ['\u0644\u200c\u06ef.com', 'xn--ghb65a953d.com'],
  ['\u0644\u06ef.com', 'xn--ghb65a.com'],
  ['\u06ef\u06ef.com', 'xn--cmba.com'],
  ['\u05d0\u05c7.com', 'xn--vdbr.com'],
  ['\u05d09\u05c7.com', 'xn--9-ihcz.com'],
  ['\u05d0\u05ea.com', 'xn--4db6c.com'],
  ['\u05d0\u05f3\u05ea.com', 'xn--4db6c0a.com'],
  ['\u05d07\u05ea.com', 'xn--7-zhc3f.com'],
  ['\u05d0\u0667\u05ea.com', 'xn--4db6c6t.com'],
  ['\uab60.com', 'xn--3y9a.com'],
  ['\u5919.com', 'xn--bss.com'],
  ['x\u034fN\u200b-\u00ad-\u180cB\ufe00s\u2064s\u{e01ef}ffl.com', 'xn--bssffl.com'],
  [
    '\u02e3\u034f\u2115\u200b\ufe63\u00ad\uff0d\u180c\u212c\ufe00\u017f\u2064\u{1d530}\u{e01ef}\ufb04.com',
    'xn--bssffl.com',
  ],
  ['\uf951\u{2f868}\u{2f874}\u{2f91f}\u{2f95f}\u{2f9bf}.com', 'xn--snl253bgitxhzwu2arn60c.com'],
  ['\u96fb\u{2136a}\u5f33\u43ab\u7aae\u4d57.com', 'xn--kbo60w31ob3z6t3av9z5b.com'],
  ['xn--A-1ga.com', 'xn--a-1ga.com'],
  ['a\u00f6.com', 'xn--a-1ga.com'],
  ['\u06b9.com', 'xn--skb.com'],
  ['\u{2603e}\u1ce0.com', 'xn--t6f5138v.com'],
  ['\u{1e93f}.com', 'xn--3e6h.com'],
  ['\u{1e93a}.com', 'xn--ye6h.com'],
  ['\u9f59--4.SS', 'xn----4-p16k.ss'],
  ['\u3a32.ss', 'xn--9bm.ss'],
  ['ss\u{114c3}.com', 'xn--ss-bh7o.com'],
  ['\u06bd\u0663\u0596.com', 'xn--hcb32bni.com'],
  ['\u0853.ss', 'xn--iwb.ss'],
  ['a\u00adb.com', 'ab.com'],
  ['0A.com', '0a.com'],
  ['unicode.org', 'unicode.org'],
];

/** Names published as invalid, by reason. */
const INVALID: Record<string, string[]> = {
  'is no Punycode, or Punycode of nothing that needs it (P4)': [
    'xn--0.pt',
    'xn--a-\u00c4.pt',
    'xn--a-A\u0308.pt',
    'xn--a-\u00e4.pt',
    'XN--A-A\u0308.PT',
    'xn--.com',
    'xn--te\u0161la.com',
    'xn--ls8h=.com',
  ],
  'is not normalised (V1)': ['xn--u-ccb.com'],
  'has hyphens where A-labels have them (V2, V4)': ['xn--xn--a--gua.pt', 'xn--xn---epa.com'],
  'begins or ends with a hyphen (V3)': ['-x.com', 'x-.com', '\u00e4-.com', '-\u00e4.com'],
  'begins with a combining mark (V6)': ['\u0308c.com', 'xn--c-bcb.com'],
  'has a character that is not valid (V7)': [
    'a\u2488com.com',
    'A\u2488COM.com',
    'xn--acom-0w1b.com',
    'xn--a-ecp.ru',
    'xn--a.pt',
    'a\ud900z.com',
    '\ufffd.com',
    'xn--zn7c.com',
  ],
  'has a joiner where none may stand (C1, C2)': [
    'a\u200cb.com',
    'A\u200cB.com',
    'xn--ab-j1t.com',
    'a\u200db.com',
    'xn--ab-m1t.com',
    '\u0bb9\u200d.com',
    'xn--dmc225h.com',
    '\u0bb9\u200c.com',
    'xn--dmc025h.com',
    '\u200d.com',
    '\u200c.com',
    '\u200cx\u200dn\u200c-\u200d-b\u00df.com',
    'xn--xn--bss-7z6ccid.com',
    '\u0644\u200c.com',
  ],
  'mixes directions (B1 to B6)': [
    '\u00e0\u05d0.com',
    'a\u0300\u05d0.com',
    'xn--0ca24w.com',
    'a\u05d0.com',
    '\u05d0a\u05c7.com',
    'xn--a-ihcz.com',
    'a\u05d0tz.com',
    '\u05d0t\u05ea.com',
    'xn--t-zhc3f.com',
    '\u05d00\u0660\u05d0.com',
    'xn--0-zhcb98c.com',
    'xn--b-bcba413a.com',
    'a\u0628\u0308\u200c\u0308\u0628b.com',
    'xn--ab-uuba211bca.com',
    '\u064aa.com',
    'xn--a-yoc.com',
  ],
  'has an empty label or a bad length (A4)': [
    'a..com',
    '\u00e4.\u00ad.com',
    '\u3002',
    `${'a'.repeat(64)}.com`,
    `x0${'1234567890'.repeat(6)}1\u00fc.com`,
  ],
  'has ASCII that host names do not have (U1)': ['$.com', '(4).com', '\u2477.com', 'a_b.com'],
};

/** Published as valid under UTS 46, which allows symbols; IDNA 2008 (RFC 5892) does not, nor do registries. */
const VALID_BUT_NO_LETTERS = [
  '\u00a1.com',
  'xn--7a.com',
  '\u19da.com',
  '\u2615.com',
  'xn--53h.com',
  '\u2260.com',
  '=\u0338.com',
  'xn--1ch.com',
  '\u226e.com',
  '\u226f.com',
  'a\u2020.com',
];

/** RFC 5892, section 2.6: what is allowed although its category is not, and the other way round. */
const EXCEPTIONS = {
  allowed: ['\u00df', '\u03c2', '\u06fd', '\u06fe', '\u0f0b', '\u3007'],
  refused: [
    '\u0640',
    '\u07fa',
    '\u302e',
    '\u302f',
    '\u3031',
    '\u3032',
    '\u3033',
    '\u3034',
    '\u3035',
    '\u303b',
  ],
};

function refused(input: string): boolean {
  try {
    parseDomainOf(input, '/domain', new Set());
    return false;
  } catch {
    return true;
  }
}

describe('an internationalized domain name', () => {
  it.each(MAPPED)('%j becomes %s', (input, ascii) => {
    expect(parseDomain(input).ascii).toBe(ascii);
    expect(parseDomain(ascii).ascii).toBe(ascii);
  });

  it.each(Object.entries(INVALID))('is rejected when it %s', (_why, inputs) => {
    expect(inputs.filter((input) => !refused(input))).toEqual([]);
  });

  it('is rejected with symbols, although UTS 46 alone allows them', () => {
    expect(VALID_BUT_NO_LETTERS.filter((input) => !refused(input))).toEqual([]);
  });

  it('is rejected with hyphens in the third and fourth place, unlike in browsers', () => {
    expect(['aa--.com', 'ab--c.com', 'ab--c.xn--zca.com'].filter((one) => !refused(one))).toEqual(
      [],
    );
  });

  it('may contain only the exceptions that IDNA 2008 allows', () => {
    // Placed between letters of the same direction, since some cannot stand alone.
    const named = (char: string) =>
      /[\u0600-\u07ff]/.test(char) ? `\u0628${char}\u0628.com` : `${char}.com`;
    expect(EXCEPTIONS.allowed.filter((char) => refused(named(char)))).toEqual([]);
    expect(EXCEPTIONS.refused.filter((char) => !refused(named(char)))).toEqual([]);
  });

  it('is rejected when spelled with single old Hangul letters', () => {
    expect(refused('\u1112\u119e.com')).toBe(true);
    expect(parseDomain('\u1112\u1161\u11ab.com').unicode).toBe('\ud55c.com');
  });
});

describe('parsing a suffix', () => {
  it.each([
    ['COM', 'com'],
    ['.\u0440\u0444', 'xn--p1ai'],
    ['\u4e2d\u56fd', 'xn--fiqs8s'],
    ['XN--FIQS8S', 'xn--fiqs8s'],
    ['\u516c\u53f8.cn', 'xn--55qx5d.cn'],
    ['co\u3002uk', 'co.uk'],
    ['xn--a', undefined],
    ['xn--u-ccb', undefined],
    ['a\u200cb', undefined],
    ['a..b', undefined],
    ['-x', undefined],
    ['\u064aa', undefined],
    ['*', undefined],
    ['x'.repeat(64), undefined],
  ])('turns %j into %s', (input, expected) => {
    expect(parseTld(input)).toBe(expected);
  });
});
