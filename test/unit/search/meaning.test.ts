import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lexicon } from '../../../shared/market/search/language/lexicon.ts';
import { stem } from '../../../shared/market/search/language/stem.ts';
import { cellOf, nearestCells, signatureOf } from '../../../shared/market/search/meaning/cells.ts';
import {
  type Meaning,
  meaningOf,
  meaningOfName,
  nearness,
} from '../../../shared/market/search/meaning/meaning.ts';

const meaning = (text: string): Meaning => {
  const found = meaningOf(text.split(' ').map((word) => ({ stem: stem(word), weight: 1 })));
  if (!found) throw new Error(`no meaning: ${text}`);
  return found;
};
const near = (one: string, other: string) => nearness(meaning(one), meaning(other));

const { size, stemAt } = lexicon();
const anyText = fc
  .array(fc.integer({ min: 0, max: size - 1 }).map(stemAt), { minLength: 1, maxLength: 6 })
  .map((stems) => meaningOf(stems.map((each) => ({ stem: each, weight: 1 }))))
  .filter((found) => found !== null);

describe('the meaning of a text', () => {
  it.each([
    ['dentist', 'teeth', 'wallet'],
    ['lawyer', 'attorney', 'bakery'],
    ['scuba lessons', 'diving school', 'tax adviser'],
    ['place to wash my dog', 'pet grooming', 'law firm'],
  ])('brings %j nearer to %j than to %j', (text, akin, stranger) => {
    expect(near(text, akin)).toBeGreaterThan(near(text, stranger) + 0.2);
  });

  it('is null without a word that is known', () => {
    expect(meaningOf([{ stem: 'qwzrtp', weight: 1 }])).toBeNull();
    expect(meaningOf([])).toBeNull();
  });

  it('counts the label of a name for more than what its owner says', () => {
    const name = meaningOfName(['coffe'], ['lawyer'], []);
    if (!name) throw new Error('no meaning');
    expect(nearness(name, meaning('coffee'))).toBeGreaterThan(nearness(name, meaning('lawyer')));
  });

  it('is of length 1, and nearest to itself', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(nearness(one, one)).toBeCloseTo(1, 4);
        expect(nearness(one, other)).toBeLessThanOrEqual(1.0001);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the cells of the space of meanings', () => {
  it('give a text the one that comes first among those near to it', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 96 }), (found, count) => {
        const cells = nearestCells(found, count);
        expect(cells[0]).toBe(cellOf(found));
        expect(new Set(cells).size).toBe(count);
      }),
      { numRuns: 100 },
    );
  });

  it('find most of what is near by reading a few of them', () => {
    const names = ['pet spa', 'dog grooming', 'puppy care', 'cat wash', 'animal salon', 'pet shop'];
    const cells = new Set(nearestCells(meaning('dog grooming'), 96));
    const found = names.filter((name) => cells.has(cellOf(meaning(name))));
    expect(found.length).toBeGreaterThanOrEqual(5);
  });

  it('tell nearness by the bits that differ', () => {
    const bits = (text: string) => signatureOf(meaning(text));
    const differing = (one: string, other: string) =>
      [...bits(one)].filter((bit, at) => bit !== bits(other)[at]).length;
    expect(bits('coffee')).toMatch(/^[01]{100}$/);
    expect(differing('coffee', 'espresso')).toBeLessThan(differing('coffee', 'lawyer'));
  });
});
