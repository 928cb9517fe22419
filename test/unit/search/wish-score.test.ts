import { describe, expect, it } from '@jest/globals';
import type { Candidate } from '../../../shared/market/search/search.store.ts';
import { NAME_SHAPES } from '../../../shared/market/search/search-document.ts';
import type { Wish } from '../../../shared/market/search/understanding/interpretation.ts';
import {
  pronounceability,
  wishScores,
  withWishes,
} from '../../../shared/market/search/wish-score.ts';

function candidate(domain: string, shape: keyof typeof NAME_SHAPES, price = 1_000): Candidate {
  const [label = '', tld = ''] = domain.split('.');
  return {
    version: '1',
    listingId: 1,
    domain,
    domainUnicode: domain,
    tld,
    priceCents: price * 100,
    floorPriceCents: null,
    currency: 'USD',
    offersAccepted: false,
    category: null,
    label: label.replaceAll('-', ''),
    labelWords: label,
    tags: '',
    about: '',
    quality: tld === 'com' ? 95 : 80,
    shape: NAME_SHAPES[shape],
    vector: null,
  };
}

const NAMES = [
  candidate('river.com', 'word', 20_000),
  candidate('zelovi.com', 'coined', 2_000),
  candidate('xkrtzqw.com', 'coined', 1_500),
  candidate('river-house24.net', 'phrase', 50),
  candidate('riverhouse.co', 'pair', 700),
];
const bestFor = (...wishes: Wish[]) => {
  const scores = wishScores(NAMES, { wishes });
  return [...NAMES].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0))[0]?.domain;
};

describe('search wishes', () => {
  it.each<[Wish, string]>([
    ['short', 'river.com'],
    ['brandable', 'zelovi.com'],
    ['made_up', 'zelovi.com'],
    ['premium', 'river.com'],
    ['cheap', 'river-house24.net'],
    ['descriptive', 'riverhouse.co'],
    ['one_word', 'river.com'],
  ])('for %s rank %s first', (wish, domain) => {
    expect(bestFor(wish)).toBe(domain);
  });

  it('can be combined', () => {
    expect(bestFor('short', 'cheap', 'made_up')).toBe('zelovi.com');
  });

  it('give scores from 0 to 1 and leave most of the relevance score', () => {
    for (const score of wishScores(NAMES, { wishes: ['brandable', 'cheap'] }).values()) {
      expect(score >= 0 && score <= 1).toBe(true);
    }
    expect(withWishes(0.8, 1)).toBe(0.8);
    expect(withWishes(0.8, 0)).toBeGreaterThan(0.5);
  });

  it('distinguish pronounceable words from others', () => {
    for (const label of ['banana', 'zelovi', 'spotify', 'chester', 'twitch']) {
      expect(pronounceability(label)).toBeGreaterThan(0.7);
    }
    for (const label of ['xkrtzqw', 'bcdf', 'a1b2', '青空']) {
      expect(pronounceability(label)).toBeLessThan(0.4);
    }
  });
});
