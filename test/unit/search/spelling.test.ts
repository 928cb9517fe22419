import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  editDistance,
  spellingCorrections,
} from '../../../shared/market/search/language/spelling.ts';
import { formsOf } from '../../../shared/market/search/parse-query.ts';

const letters = (least: number, most: number) =>
  fc.stringMatching(new RegExp(`^[a-z]{${least},${most}}$`));

describe('spelling correction', () => {
  it.each([
    ['walet', 'wallet'],
    ['jewlery', 'jewelry'],
    ['restaurnt', 'restaurant'],
    ['fotography', 'photography'],
    ['kofee', 'coffee'],
    ['vaction', 'vacation'],
    ['dentst', 'dentist'],
  ])('corrects %s to %s', (slip, word) => {
    expect(spellingCorrections(slip)[0]?.word).toBe(word);
  });

  it.each(['uber', 'xqzvwkjh', 'blorf', '青空空空空', '24hours', ''])('leaves %j alone', (word) => {
    expect(spellingCorrections(word)).toEqual([]);
  });

  it('counts typos between two words symmetrically', () => {
    expect(editDistance('wallet', 'walelt', 2)).toBe(1);
    expect(editDistance('wallet', 'valet', 2)).toBe(2);
    expect(editDistance('wallet', 'coffee', 2)).toBe(3);
    fc.assert(
      fc.property(letters(0, 12), letters(0, 12), (a, b) => {
        expect(editDistance(a, b, 2)).toBe(editDistance(b, a, 2));
        expect(editDistance(a, a, 2)).toBe(0);
      }),
    );
  });
});

describe('related forms of a word', () => {
  it('lead from a doer to the activity and back', () => {
    expect(formsOf('roaster')).toEqual(['roast']);
    expect(formsOf('planners')).toEqual(['plan']);
    expect(formsOf('clean')).toContain('cleaner');
    for (const word of ['flower', 'corner', 'water', 'ai']) expect(formsOf(word)).toEqual([]);
  });
});
