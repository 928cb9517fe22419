import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DOMAIN, EPP } from '../../shared/domains/epp/epp-namespaces.ts';
import { EppXmlError, readXml, textOf, writeXml, xml } from '../../shared/domains/epp/epp-xml.ts';

const read = (text: string) => readXml(Buffer.from(text));

describe('reading XML', () => {
  const lol = Array.from(
    { length: 9 },
    (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
  ).join('');

  it.each([
    ['exponentially growing entities', `<!DOCTYPE epp [<!ENTITY l0 "lol">${lol}]><epp>&l9;</epp>`],
    ['an external entity', '<!DOCTYPE e [<!ENTITY f SYSTEM "file:///etc/passwd">]><e>&f;</e>'],
    ['a document type', '<!DOCTYPE epp SYSTEM "http://127.0.0.1/epp.dtd"><epp/>'],
    ['a document type in small letters', '<!doctype epp><epp/>'],
    ['an undeclared entity', '<epp>&lol;</epp>'],
    ['an unclosed tag', '<epp><command></epp>'],
    ['two root elements', '<epp/><epp/>'],
    ['a repeated attribute', '<epp a="1" a="2"/>'],
    ['an undeclared prefix', '<epp><domain:name>a.example</domain:name></epp>'],
    ['an empty document', ''],
    ['plain text', 'EPP'],
  ])('rejects %s', (_what, text) => {
    expect(() => read(text)).toThrow(EppXmlError);
  });

  it('rejects invalid UTF-8', () => {
    expect(() => readXml(Buffer.from([0x3c, 0x61, 0xff, 0x3e]))).toThrow(EppXmlError);
  });

  it('rejects excessive nesting', () => {
    expect(() => read(`${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}`)).toThrow(EppXmlError);
  });

  it('ignores which namespace prefixes are used', () => {
    const prefixed = read(`<e:epp xmlns:e="${EPP}"><d:x xmlns:d="${DOMAIN}"/></e:epp>`);
    const plain = read(`<epp xmlns="${EPP}"><x xmlns="${DOMAIN}"/></epp>`);
    expect(prefixed).toEqual(plain);
  });
});

describe('writing XML', () => {
  it('preserves any text that XML can represent', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (inside, attribute) => {
        const name = xml(DOMAIN, 'name', inside, { a: attribute });
        const back = read(writeXml(xml(EPP, 'epp', [name])));
        expect(textOf({ ...back, namespace: DOMAIN }, 'name') ?? '').toBe(normal(inside).trim());
        expect(back.children[0]?.attributes.a).toBe(attribute.replace(/[\t\r\n]/g, ' '));
      }),
    );
  });

  it('preserves U+FFFD', () => {
    const back = read(writeXml(xml(EPP, 'epp', [xml(DOMAIN, 'name', 'a\ufffdb')])));
    expect(textOf({ ...back, namespace: DOMAIN }, 'name')).toBe('a\ufffdb');
  });

  it.each(['\u0085', '\u2028'])(
    'preserves characters that are line endings only in XML 1.1',
    (character) => {
      const inside = `a${character}b`;
      const back = read(writeXml(xml(EPP, 'epp', [xml(DOMAIN, 'name', inside, { a: inside })])));
      expect(textOf({ ...back, namespace: DOMAIN }, 'name')).toBe(inside);
      expect(back.children[0]?.attributes.a).toBe(inside);
    },
  );

  it.each(['\u0000', '\u0008', '\uFFFE', '\uD800'])(
    'rejects characters that XML cannot represent',
    (bad) => {
      expect(() => writeXml(xml(EPP, 'epp', `a${bad}b`))).toThrow(EppXmlError);
    },
  );

  const normal = (text: string) => text.replace(/\r\n?/g, '\n');
});
