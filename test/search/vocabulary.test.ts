import { describe, expect, it } from '@jest/globals';
import { KINDS, readPractice, readQueries } from '../../measure/search/buyer-queries.ts';
import { makeUpInventory } from '../../measure/search/made-up-inventory.ts';
import { halfOf, readVocabulary } from '../../measure/search/vocabulary.ts';
import { draftListing } from '../../shared/market/inventory/listing.ts';

const vocabulary = readVocabulary();
const items = makeUpInventory(vocabulary, 1);
const queries = readQueries(vocabulary, items, 1);

describe('the vocabulary', () => {
  it('relates and translates trades that there are', () => {
    const named = [
      ...[...vocabulary.trades.values()].flatMap(({ near, adjacent }) => [...near, ...adjacent]),
      ...vocabulary.buyers.map(({ trade }) => trade),
      ...vocabulary.local.map(({ trade }) => trade),
    ];
    expect(named.filter((trade) => !vocabulary.trades.has(trade))).toEqual([]);
  });

  it('has no synonym with a word that owners use for the trade', () => {
    const literal = vocabulary.buyers.flatMap(({ trade, english }) => {
      const { names = [], tags = [] } = vocabulary.trades.get(trade) ?? {};
      const owned = new Set([...names.flat(), ...tags.flatMap((tag) => tag.split(' '))].map(stem));
      return english.filter((query) =>
        query.split(' ').some((word) => word.length > 3 && owned.has(stem(word))),
      );
    });
    expect(literal).toEqual([]);
  });

  it('has two halves without a common trade', () => {
    const [first, second] = (['first', 'second'] as const).map((half) => [
      ...halfOf(vocabulary, half).trades.keys(),
    ]);
    expect(first?.filter((trade) => second?.includes(trade))).toEqual([]);
    expect((first?.length ?? 0) + (second?.length ?? 0)).toBe(vocabulary.trades.size);
  });
});

describe('the made-up inventory', () => {
  it('has some 4,000 listings, each of which may be listed', () => {
    expect(items.length).toBeGreaterThan(3_500);
    expect(() => items.map(({ listing }) => draftListing('LIVE', listing))).not.toThrow();
  });

  it('is the same for the same seed, and another for another', () => {
    const domains = (seed: number) => makeUpInventory(vocabulary, seed).map(({ domain }) => domain);
    expect(domains(1)).toEqual(items.map(({ domain }) => domain));
    expect(domains(2)).not.toEqual(domains(1));
  });

  it('lets owners say as much as they do: half give keywords, fewer a description', () => {
    const share = (has: (item: (typeof items)[number]) => unknown) =>
      items.filter(has).length / items.length;
    expect(share(({ listing }) => listing.keywords)).toBeCloseTo(0.5, 1);
    expect(share(({ listing }) => listing.description)).toBeCloseTo(0.45, 1);
    expect(share(({ listing }) => !listing.keywords && !listing.description)).toBeGreaterThan(0.2);
  });
});

describe('the queries of buyers', () => {
  it.each(KINDS)('of the kind %s are many, and a third of them held out', (kind) => {
    const ofKind = queries.filter((query) => query.kind === kind);
    expect(ofKind.length).toBeGreaterThanOrEqual(60);
    const share = ofKind.filter(({ heldOut }) => heldOut).length / ofKind.length;
    expect(share).toBeGreaterThan(0.24);
    expect(share).toBeLessThan(0.42);
  });

  it('for practice are others than those that are judged', () => {
    const judged = new Set(queries.map(({ query }) => query.toLowerCase()));
    const practice = readPractice();
    expect(practice.length).toBeGreaterThan(1_000);
    expect(practice.filter(({ query }) => judged.has(query.toLowerCase()))).toEqual([]);
  });

  it('each speak of trades, modifiers and audiences that there are', () => {
    const unknown = [...queries, ...readPractice()].flatMap(({ need }) => [
      ...[...need.trades, ...need.halfTrades].filter((trade) => !vocabulary.trades.has(trade)),
      ...need.modifiers.filter((id) => !vocabulary.modifiers.some((concept) => concept.id === id)),
      ...[need.audience ?? []]
        .flat()
        .filter((id) => !vocabulary.audiences.some((concept) => concept.id === id)),
    ]);
    expect(unknown).toEqual([]);
  });
});

/** Roughly: words that begin alike are one word. */
function stem(word: string): string {
  return word.toLowerCase().slice(0, 5);
}
