import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createWordTable } from '../../../shared/market/search/language/word-table.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });

describe('a table of words', () => {
  it('behaves like a map and keeps insertion order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, fc.nat())), fc.array(word), (entries, others) => {
        const map = new Map(entries);
        const table = createWordTable({ words: 200, letters: 1_200 });
        for (const [each, number] of entries) table.set(each, number);
        expect(table.size).toBe(map.size);
        for (const each of [...map.keys(), ...others]) expect(table.get(each)).toBe(map.get(each));
        for (const [at, [each, number]] of [...map].entries())
          expect([table.wordAt(at), table.numberAt(at)]).toEqual([each, number]);
      }),
    );
  });

  it('contains no words outside ASCII', () => {
    const table = createWordTable({ words: 2, letters: 8 });
    table.set('ate', 1);
    expect(table.get('até')).toBeUndefined();
    expect(table.get('日本語')).toBeUndefined();
  });

  it('accepts no more words than it has room for', () => {
    const table = createWordTable({ words: 1, letters: 8 });
    table.set('one', 1);
    expect(() => table.set('two', 2)).toThrow('no room for two');
    expect(() => createWordTable({ words: 2, letters: 2 }).set('one', 1)).toThrow(RangeError);
  });
});
