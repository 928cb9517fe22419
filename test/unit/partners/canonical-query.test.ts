import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  canonicalQuery,
  canonicalString,
  computeSignature,
  isValidSignature,
  MalformedQuery,
} from '../../../shared/people/partners/request-signature.ts';

const text = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .filter((value) => !/\p{Surrogate}/u.test(value));
const pairs = fc.array(fc.tuple(text, text), { maxLength: 8 });

/** One of many spellings of a list of pairs, with any legal encoding of each character. */
const spelled = (list: readonly [string, string][], plus: boolean) =>
  list
    .map(([name, value]) =>
      [name, value]
        .map((part) => {
          const encoded = encodeURIComponent(part);
          return plus ? encoded.replaceAll('%20', '+') : encoded;
        })
        .join('='),
    )
    .join('&');

describe('the canonical query', () => {
  it('is the same for every order and encoding of the same pairs', () => {
    fc.assert(
      fc.property(pairs, fc.boolean(), (list, plus) => {
        const canonical = canonicalQuery(spelled(list, plus));
        expect(canonicalQuery(spelled([...list].reverse(), !plus))).toBe(canonical);
        expect(canonicalQuery(canonical)).toBe(canonical);
      }),
    );
  });

  it('loses and adds nothing according to another decoder', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const back = [...new URLSearchParams(canonicalQuery(spelled(list, false)))];
        const sorted = [...list].sort(([a, x], [b, y]) =>
          a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0,
        );
        expect(back).toEqual(sorted);
      }),
    );
  });

  it('encodes all but unreserved characters, with uppercase hex digits', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        expect(canonicalQuery(spelled(list, true))).toMatch(
          /^(?:[A-Za-z0-9_.~&=-]|%[0-9A-F]{2})*$/,
        );
      }),
    );
  });

  it('keeps empty values and duplicates and skips empty parts', () => {
    expect(canonicalQuery('b&a=&a=2&a=1&&')).toBe('a=&a=1&a=2&b=');
    expect(canonicalQuery('')).toBe('');
  });

  it.each(['a=%', 'a=%2', 'a=%zz', '%ff=1', 'a=%ed%a0%80'])('cannot be built from %s', (query) => {
    expect(() => canonicalQuery(query)).toThrow(MalformedQuery);
  });
});

describe('a request signature', () => {
  const request = {
    method: 'post',
    path: '/p',
    query: '',
    timestamp: '1',
    nonce: 'n',
    body: Buffer.from('{}'),
  };

  it('covers the body of a POST but not of a GET', () => {
    expect(canonicalString(request)).not.toBe(
      canonicalString({ ...request, body: Buffer.from('{ }') }),
    );
    const get = { ...request, method: 'GET' };
    expect(canonicalString(get)).toBe(canonicalString({ ...get, body: Buffer.from('{ }') }));
  });

  it('is valid only for its own secret and text', () => {
    const canonical = canonicalString(request);
    const header = `v1=${computeSignature('sk', canonical)}`;
    expect(isValidSignature('sk', canonical, header)).toBe(true);
    for (const wrong of [
      header.slice(3),
      header.toUpperCase(),
      `${header}0`,
      header.slice(0, -1),
      '',
      'v1=',
    ]) {
      expect(isValidSignature('sk', canonical, wrong)).toBe(false);
    }
    expect(isValidSignature('sk2', canonical, header)).toBe(false);
  });
});
