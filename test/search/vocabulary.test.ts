import { describe, expect, it } from '@jest/globals';
import { readQueries } from '../../measure/search/buyer-queries.ts';
import { readInventory } from '../../measure/search/inventory.ts';
import { readVocabulary } from '../../measure/search/vocabulary.ts';

const vocabulary = readVocabulary();
const items = readInventory(vocabulary);
const queries = readQueries(vocabulary, items);

describe('the vocabulary', () => {
  it('relates only known trades', () => {
    const named = [...vocabulary.trades.values()].flatMap(({ near, adjacent }) => [
      ...near,
      ...adjacent,
    ]);
    expect(named.filter((trade) => !vocabulary.trades.has(trade))).toEqual([]);
  });

  it('puts places only into known places', () => {
    const named = [...vocabulary.places.values()].flatMap((containers) => [...containers]);
    expect(named.filter((place) => !vocabulary.places.has(place))).toEqual([]);
  });
});

describe('the name list', () => {
  it('is realistic: most names have neither keywords nor a description', () => {
    const bare = items.filter(({ listing }) => !listing.keywords && !listing.description);
    expect(items.length).toBeGreaterThan(1_000);
    expect(bare.length / items.length).toBeGreaterThan(0.6);
  });
});

describe('buyer queries', () => {
  it('are numerous for each kind, with about a third held out', () => {
    for (const kind of new Set(queries.map((query) => query.kind))) {
      const ofKind = queries.filter((query) => query.kind === kind);
      const share = ofKind.filter(({ heldOut }) => heldOut).length / ofKind.length;
      expect([kind, ofKind.length >= 40, share > 0.2 && share < 0.47]).toEqual([kind, true, true]);
    }
  });

  it('are unique', () => {
    expect(new Set(queries.map(({ query }) => query)).size).toBe(queries.length);
  });
});
