import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { segmentLabel } from '../../../shared/market/search/language/segment-label.ts';
import { stem } from '../../../shared/market/search/language/stem.ts';
import { foldText, roleOf } from '../../../shared/market/search/language/text-analysis.ts';
import { parseQuery } from '../../../shared/market/search/parse-query.ts';

describe('folding text', () => {
  it('drops case, accents, and punctuation and keeps other scripts', () => {
    expect(foldText('  Café—LUMIÈRE, №1! ')).toBe('cafe lumiere no1');
    expect(foldText('ｆｕｌｌ　ｗｉｄｔｈ')).toBe('full width');
    expect(foldText('青空・商店')).toBe('青空 商店');
    expect(foldText('\u0000🦄\ud800')).toBe('');
  });

  it.each([
    ['أُسْتَاذ إلى آخر', 'استاذ الي اخر'],
    ['مدرســـة مؤسسة', 'مدرسه موسسه'],
    ['हिन्दी', 'हिंदी'],
    ['कम्पनी चाँद', 'कंपनी चांद'],
    ['सब्ज़ी', 'सब्जी'],
    ['٢٠٢٦ ०१९', '2026 019'],
  ])('writes %s as %s', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  it('leaves only letters, digits, marks, and single spaces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(foldText(text)).toMatch(/^([\p{L}\p{N}\p{M}]+( [\p{L}\p{N}\p{M}]+)*)?$/u);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the role of a word', () => {
  it.each([
    ['flat', 'describing'],
    ['flats', 'topic'],
    ['public', 'describing'],
    ['publicity', 'topic'],
    ['gorgeous', 'describing'],
    ['company', 'generic'],
  ])('for %s is %s, whatever shares its stem', (word, role) => {
    expect(roleOf(word)).toBe(role);
  });
});

describe('splitting a label into words', () => {
  const cut = (label: string) =>
    segmentLabel(label)
      .map(({ text }) => text)
      .join(' ');

  it.each([
    ['neonwallet', 'neon wallet'],
    ['brightharbor', 'bright harbor'],
    ['coffeeroastery', 'coffee roastery'],
    ['solarpanels', 'solar panels'],
    ['vimipe', 'vimipe'],
    ['xqzvwkjh', 'xqzvwkjh'],
  ])('turns %s into %s', (label, words) => {
    expect(cut(label)).toBe(words);
  });

  it('never loses a letter', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{0,63}$/), (label) => {
        expect(cut(label).replaceAll(' ', '')).toBe(label);
      }),
    );
  });
});

describe('reading a query', () => {
  const wordsAsked = (text: string) => parseQuery(text).words.map(({ word }) => word);

  it('drops stop words unless there is nothing else', () => {
    expect(wordsAsked('a name for the wallet')).toEqual(['wallet']);
    expect(wordsAsked('the')).toEqual(['the']);
  });

  it('recognizes domains and URLs and nothing else as domains', () => {
    expect(parseQuery('https://www.Neon-Wallet.co.uk/x').domain).toEqual({
      label: 'neon-wallet',
      tld: 'co.uk',
    });
    expect(parseQuery('xn--mller-kva.de').domain).toEqual({ label: 'müller', tld: 'de' });
    for (const text of ['wallet', 'e.g', 'wallet. com', '...', '.com']) {
      expect(parseQuery(text).domain).toBeNull();
    }
  });

  it('keeps a limited number of words', () => {
    const long = Array.from({ length: 100 }, (_, at) => `w${at}`).join(' ');
    expect(parseQuery(long).words.length).toBeLessThanOrEqual(8);
  });

  it('splits words that run together and leaves made-up words whole', () => {
    expect(wordsAsked('neonwallet')).toEqual(['neon', 'wallet']);
    expect(wordsAsked('klymobakery')).toEqual(['klymo', 'bakery']);
    expect(wordsAsked('vorthraxlamp')).toEqual(['vorthraxlamp']);
  });

  it.each(['eeeeeeee', 'おおおおおおおお', 'йййййй'])('does not translate %s', (text) => {
    expect(parseQuery(text).translated).toBe(false);
  });
});

describe('comparing words', () => {
  it('treats forms of a word as the same', () => {
    for (const [one, other] of [
      ['wallets', 'wallet'],
      ['roasts', 'roasting'],
      ['parties', 'party'],
      ['boxes', 'box'],
    ] as const) {
      expect(stem(one)).toBe(stem(other));
    }
    expect(stem('glass')).toBe('glass');
  });

  it('treats names of JavaScript properties like other words', () => {
    for (const word of ['constructor', 'prototype', 'valueof', '__proto__']) {
      expect(typeof stem(word)).toBe('string');
    }
    const [word] = parseQuery('constructor').words;
    expect(word?.stem).toBe(stem('constructors'));
  });
});
