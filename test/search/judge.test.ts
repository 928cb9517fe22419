import { describe, expect, it } from '@jest/globals';
import { createJudge } from '../../measure/search/judge.ts';
import type { Item } from '../../measure/search/made-up-inventory.ts';
import { readNeed } from '../../measure/search/need.ts';
import { readVocabulary } from '../../measure/search/vocabulary.ts';

const { trades } = readVocabulary();

function item(domain: string, facts: Partial<Item> = {}): Item {
  const [label = '', ...tld] = domain.split('.');
  const price = facts.price ?? 500;
  return {
    domain,
    label,
    tld: tld.join('.'),
    price,
    currency: 'USD',
    words: [label],
    trade: null,
    tradeInLabel: facts.trade !== undefined,
    modifiers: [],
    audience: null,
    place: null,
    brand: null,
    language: null,
    listing: { domain, priceCents: price * 100 },
    ...facts,
  };
}

/** The grades of these listings, in their order, for what somebody is looking for. */
function grades(facts: string, items: Item[]): number[] {
  const graded = createJudge(items, trades).judge(readNeed(facts));
  return items.map(({ domain }) => graded.get(domain) ?? 0);
}

describe('the judge grades a topic', () => {
  it('by how near the trade is', () => {
    const items = [
      item('bakery.com', { trade: 'bakery' }),
      item('cakes.com', { trade: 'cakes' }),
      item('espresso.com', { trade: 'cafe' }),
      item('scaffold.com', { trade: 'scaffolding' }),
    ];
    expect(grades('bakery', items)).toEqual([3, 2, 1, 0]);
  });

  it('lower where only the owner says so, not the name', () => {
    expect(
      grades('bakery', [
        item('zorvi.com', { trade: 'bakery', tradeInLabel: false, brand: 'invented' }),
      ]),
    ).toEqual([2]);
  });

  it('lower where the name is for people or a place that nobody asked for', () => {
    const items = [
      item('kidsyoga.com', { trade: 'yoga', audience: 'kids' }),
      item('osloyoga.com', { trade: 'yoga', place: 'oslo' }),
    ];
    expect(grades('yoga', items)).toEqual([2, 2]);
  });

  it('by its own word in the name of something else as half of it', () => {
    expect(
      grades('yoga', [item('yogadrum.com', { trade: 'instruments', words: ['yoga', 'drum'] })]),
    ).toEqual([1]);
  });

  it('with a word for a part of the trade first', () => {
    const items = [
      item('matchahub.com', { trade: 'tea', words: ['matcha', 'hub'] }),
      item('teahub.com', { trade: 'tea', words: ['tea', 'hub'] }),
    ];
    expect(grades('tea word=matcha', items)).toEqual([3, 2]);
  });

  it('by its own word in an adjacent trade as nearly right', () => {
    const photos = { trade: 'wedding-photography', words: ['weddingphoto', 'hub'] };
    expect(grades('wedding-planning', [item('weddingphotohub.com', photos)])).toEqual([2]);
  });

  it('that is only spoken of beside it as half of it', () => {
    expect(grades('crm half=real-estate', [item('realty.com', { trade: 'real-estate' })])).toEqual([
      1,
    ]);
  });

  it('in a script that the buyer does not read as a curiosity', () => {
    const items = [item('牙科.com', { trade: 'dentistry', language: 'zh' })];
    expect(grades('dentistry', items)).toEqual([1]);
    expect(grades('dentistry lang=zh', items)).toEqual([3]);
    const spanish = [item('cafetería.com', { trade: 'cafe', language: 'es' })];
    expect(grades('cafe lang=pt', spanish)).toEqual([2]);
  });
});

describe('the judge grades what is asked beside the topic', () => {
  const seniors = item('yogaforseniors.com', { trade: 'yoga', audience: 'seniors' });
  const kids = item('kidsyoga.com', { trade: 'yoga', audience: 'kids' });
  const plain = item('yogahub.com', { trade: 'yoga' });
  const pilates = item('pilateshub.com', { trade: 'pilates' });

  it('as needed for the best grade where a listing has it', () => {
    expect(grades('yoga for=seniors', [seniors, kids, plain, pilates])).toEqual([3, 1, 2, 1]);
  });

  it('as no loss where no listing has it', () => {
    expect(grades('yoga for=seniors', [kids, plain])).toEqual([1, 3]);
  });

  it('as welcome only, where it is told in passing', () => {
    expect(grades('yoga for=seniors loosely', [seniors, kids, plain])).toEqual([3, 1, 3]);
  });

  it('as half of it in another trade', () => {
    const others = [
      item('leedsroofing.com', { trade: 'roofing', place: 'leeds' }),
      item('osloroofing.com', { trade: 'roofing', place: 'oslo' }),
    ];
    expect(grades('tea in=leeds', others)).toEqual([1, 0]);
  });
});

describe('the judge takes limits as hard', () => {
  it.each([
    ['price<500', [500, 501], [3, 0]],
    ['price=100-200', [99, 100, 200, 201], [0, 3, 3, 0]],
    ['price>1000', [1000, 999], [3, 0]],
  ])('for %s', (facts, prices, expected) => {
    const items = prices.map((price, at) => item(`bakery${at}.com`, { trade: 'bakery', price }));
    expect(grades(`bakery ${facts}`, items)).toEqual(expected);
  });

  it('but leaves room between currencies', () => {
    const items = [550, 600, 700].map((price, at) => item(`tea${at}.com`, { trade: 'tea', price }));
    expect(grades('tea price<500eur', items)).toEqual([3, 3, 0]);
  });

  it.each([
    ['tld=io', 'ab.io', 'ab.com'],
    ['tld!=com', 'ab.io', 'ab.com'],
    ['len<=4', 'abcd.com', 'abcde.com'],
    ['len=4', 'abcd.com', 'abc.com'],
    ['starts=sun', 'sunday.com', 'thesun.com'],
    ['ends=hub', 'teahub.com', 'hubtea.com'],
    ['ends!=hub', 'hubtea.com', 'teahub.com'],
    ['not=hyphen|digit', 'tea.com', 'tea-4.com'],
    ['only=digits', '4711.com', '4you.com'],
    ['without=dog', 'catfood.com', 'dogfood.com'],
  ])('for %s, with or without a topic', (facts, good, bad) => {
    expect(grades(facts, [item(good), item(bad)])).toEqual([3, 0]);
    const trade = 'pet-food';
    expect(grades(`pet-food ${facts}`, [item(good, { trade }), item(bad, { trade })])).toEqual([
      3, 0,
    ]);
  });

  it('and exclusions too', () => {
    const items = [
      item('resto.com', { trade: 'restaurants' }),
      item('pizza.com', { trade: 'pizza' }),
      item('osloresto.com', { trade: 'restaurants', place: 'oslo' }),
    ];
    expect(grades('restaurants not-trade=pizza not-in=oslo', items)).toEqual([3, 0, 0]);
  });
});

describe('the judge measures wishes', () => {
  const made = item('zorvi.com', { brand: 'invented' });
  const long = item('zorvikalamestia.com', { brand: 'invented' });
  const bakery = item('sourdoughbakery.com', { trade: 'bakery', words: ['sourdough', 'bakery'] });
  const madeForBakery = item('pralo.com', {
    trade: 'bakery',
    tradeInLabel: false,
    brand: 'invented',
  });

  it('without a topic', () => {
    expect(grades('wish=short,brandable', [made, long, bakery])).toEqual([3, 0, 0]);
  });

  it('with a topic, where a free brand is second best and a plain name half of it', () => {
    expect(grades('bakery wish=brandable', [madeForBakery, made, bakery])).toEqual([3, 2, 1]);
  });

  it('of price by what the others cost', () => {
    const items = [100, 1000, 1100, 1200, 9000].map((price, at) =>
      item(`tea${at}.com`, { price, brand: 'word' }),
    );
    expect(grades('wish=cheap', items)).toEqual([3, 3, 2, 2, 0]);
  });
});

describe('the judge looks for a name', () => {
  const items = [item('lantern.com'), item('lantern.io'), item('mylanterns.com'), item('tea.com')];

  it('under its suffix first', () => {
    expect(grades('name=lantern.com', items)).toEqual([3, 2, 1, 0]);
  });

  it('under any suffix where none was typed', () => {
    expect(grades('name~lantern.com', items)).toEqual([3, 3, 1, 0]);
  });
});

it('wants silence for gibberish and for what is not in the inventory', () => {
  const items = [item('tea.com', { trade: 'tea' })];
  expect(grades('nothing', items)).toEqual([0]);
  expect(grades('none', items)).toEqual([0]);
});

it('refuses facts that it does not know', () => {
  expect(() => readNeed('tea colour=red')).toThrow('no such fact');
  expect(() => readNeed('tea wish=blue')).toThrow('no such wish');
});
