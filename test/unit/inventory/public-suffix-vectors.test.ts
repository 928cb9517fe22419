import { describe, expect, it } from '@jest/globals';
import { parseDomainOf } from '../../../shared/market/names/domain-name.ts';

/**
 * What the Public Suffix List's own tests (tests/test_psl.txt, public domain) say of each name: its
 * registrable domain, or - when it has none.
 */
const PUBLISHED = `
  COM -                              example.COM example.com             WwW.example.COM example.com
  .com -                             .example -                          .example.com -
  .example.example -                 example -                           example.example example.example
  b.example.example example.example  a.b.example.example example.example
  biz -                              domain.biz domain.biz               b.domain.biz domain.biz
  a.b.domain.biz domain.biz          com -                               example.com example.com
  b.example.com example.com          a.b.example.com example.com         test.ac test.ac
  mm -                               c.mm -                              b.c.mm b.c.mm
  a.b.c.mm b.c.mm                    jp -                                test.jp test.jp
  www.test.jp test.jp                ac.jp -                             test.ac.jp test.ac.jp
  www.test.ac.jp test.ac.jp          kyoto.jp -                          test.kyoto.jp test.kyoto.jp
  ide.kyoto.jp -                     b.ide.kyoto.jp b.ide.kyoto.jp       a.b.ide.kyoto.jp b.ide.kyoto.jp
  c.kobe.jp -                        b.c.kobe.jp b.c.kobe.jp             a.b.c.kobe.jp b.c.kobe.jp
  city.kobe.jp city.kobe.jp          www.city.kobe.jp city.kobe.jp       ck -
  test.ck -                          b.test.ck b.test.ck                 a.b.test.ck b.test.ck
  www.ck www.ck                      www.www.ck www.ck                   us -
  test.us test.us                    www.test.us test.us                 ak.us -
  test.ak.us test.ak.us              www.test.ak.us test.ak.us           k12.ak.us -
  test.k12.ak.us test.k12.ak.us      www.test.k12.ak.us test.k12.ak.us
  食狮.com.cn 食狮.com.cn            食狮.公司.cn 食狮.公司.cn           www.食狮.公司.cn 食狮.公司.cn
  shishi.公司.cn shishi.公司.cn      公司.cn -                           食狮.中国 食狮.中国
  www.食狮.中国 食狮.中国            shishi.中国 shishi.中国             中国 -
`;

const PUBLISHED_AS_A_LABELS = `
  xn--85x722f.com.cn xn--85x722f.com.cn            xn--85x722f.xn--55qx5d.cn xn--85x722f.xn--55qx5d.cn
  www.xn--85x722f.xn--55qx5d.cn xn--85x722f.xn--55qx5d.cn
  shishi.xn--55qx5d.cn shishi.xn--55qx5d.cn        xn--55qx5d.cn -
  xn--85x722f.xn--fiqs8s xn--85x722f.xn--fiqs8s    www.xn--85x722f.xn--fiqs8s xn--85x722f.xn--fiqs8s
  shishi.xn--fiqs8s shishi.xn--fiqs8s              xn--fiqs8s -
`;

/**
 * The list's private section names suffixes under which companies give away subdomains. Those are names that
 * are sold themselves, so here they are registrable, and what stands below them is not.
 */
const UNLIKE_PUBLISHED = `
  uk.com uk.com    example.uk.com uk.com    b.example.uk.com uk.com    a.b.example.uk.com uk.com
`;

function pairsOf(table: string): [string, string][] {
  const words = table.trim().split(/\s+/);
  return words.flatMap((word, at) =>
    at % 2 === 0 ? [[word, words[at + 1] ?? ''] as [string, string]] : [],
  );
}

function registrable(input: string): { unicode: string; ascii: string } {
  try {
    return parseDomainOf(input, '/domain', new Set());
  } catch {
    return { unicode: '-', ascii: '-' };
  }
}

describe('the registrable domain of a name', () => {
  it.each(pairsOf(PUBLISHED))('for %s is %s, as in the Public Suffix List', (input, expected) => {
    expect(registrable(input).unicode).toBe(expected);
  });

  it.each(pairsOf(PUBLISHED_AS_A_LABELS))(
    "for %s is %s, as in the Public Suffix List's A-labels",
    (input, expected) => {
      expect(registrable(input).ascii).toBe(expected);
    },
  );

  it.each(pairsOf(UNLIKE_PUBLISHED))(
    'for %s is %s, since a private suffix is a registrable name',
    (input, expected) => {
      expect(registrable(input).ascii).toBe(expected);
    },
  );
});
