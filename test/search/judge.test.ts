import { describe, expect, it } from '@jest/globals';
import { type Item, readItem } from '../../measure/search/inventory.ts';
import { createJudge } from '../../measure/search/judge.ts';
import { readNeed } from '../../measure/search/need.ts';
import { readVocabulary } from '../../measure/search/vocabulary.ts';

const vocabulary = readVocabulary();

/** A listing with these facts, as they stand in the files of names. */
function item(domain: string, facts = '', price = 500): Item {
  return readItem(`${domain} | ${price} | ${facts}`, vocabulary);
}

/** The grades of these listings, in their order, for what somebody is looking for. */
function grades(facts: string, items: Item[]): number[] {
  const graded = createJudge(items, vocabulary).judge(readNeed(facts, vocabulary));
  return items.map(({ domain }) => graded.get(domain) ?? 0);
}

describe('the judge grades a topic', () => {
  it('by how near the trade is', () => {
    const items = [
      item('bakery.com', 'bakery'),
      item('cakes.com', 'cakes'),
      item('espresso.com', 'cafe'),
      item('scaffold.com', 'scaffolding'),
    ];
    expect(grades('bakery', items)).toEqual([3, 2, 1, 0]);
  });

  it('lower where only the owner says so, not the name', () => {
    expect(grades('bakery', [item('zorvi.com', '(bakery) brand=invented')])).toEqual([2]);
  });

  it('lower where the name could be any brand, unless a brand is wished', () => {
    const items = [item('sprout.app', 'plants brand=word'), item('plants.app', 'plants')];
    expect(grades('plants', items)).toEqual([2, 3]);
    expect(grades('plants wish=brandable', items)).toEqual([3, 2]);
  });

  it('lower where the name is for people or a place that nobody asked for', () => {
    const items = [item('kidsyoga.com', 'yoga for=kids'), item('osloyoga.com', 'yoga in=oslo')];
    expect(grades('yoga', items)).toEqual([2, 2]);
  });

  it('by its own word in the name of something else as half of it', () => {
    expect(grades('yoga', [item('yogadrum.com', 'instruments words=yoga+drum')])).toEqual([1]);
  });

  it('by the nearest of several trades', () => {
    const items = [
      item('ledgerfund.com', 'investing accounting'),
      item('ledgerhub.com', 'investing (accounting)'),
      item('coinfund.com', 'investing'),
    ];
    expect(grades('accounting', items).slice(0, 2)).toEqual([3, 2]);
    expect(grades('investing', items)).toEqual([3, 3, 3]);
  });

  it('with a suffix that is a word like any other word', () => {
    const items = [item('namaste.yoga', 'yoga'), item('lotus.yoga', 'pilates')];
    expect(grades('yoga word=yoga', items)).toEqual([3, 2]);
  });

  it('with a word for a part of the trade first', () => {
    const items = [
      item('matchahub.com', 'tea words=matcha+hub'),
      item('teahub.com', 'tea words=tea+hub'),
    ];
    expect(grades('tea word=matcha', items)).toEqual([3, 2]);
  });

  it('with any of several words for a part of the trade, short ones as whole words', () => {
    const items = [
      item('duvetsnow.com', 'bedding words=duvets+now'),
      item('mycomforter.com', 'bedding words=my+comforter'),
      item('cosy.quilts', 'bedding'),
      item('bedhub.com', 'bedding words=bed+hub'),
    ];
    expect(grades('bedding word=duvet|comforter|quilt', items)).toEqual([3, 3, 3, 2]);
    const ears = [
      item('ear-care.com', 'hearing-aids'),
      item('hearing.com', 'hearing-aids'),
      item('sound.com', 'hearing-aids'),
    ];
    expect(grades('hearing-aids word=ear|sound', ears)).toEqual([3, 2, 3]);
  });

  it('by its own word in an adjacent trade as nearly right', () => {
    const photos = item('weddingphotohub.com', 'wedding-photography words=weddingphoto+hub');
    expect(grades('wedding-planning', [photos])).toEqual([2]);
  });

  it('that is only spoken of beside it as half of it', () => {
    expect(grades('crm half=real-estate', [item('realty.com', 'real-estate')])).toEqual([1]);
  });

  it('in a script that the buyer does not read as a curiosity', () => {
    const items = [item('牙科.com', 'dentistry lang=zh')];
    expect(grades('dentistry', items)).toEqual([1]);
    expect(grades('dentistry lang=zh', items)).toEqual([3]);
    const spanish = [item('cafetería.com', 'cafe lang=es')];
    expect(grades('cafe lang=pt', spanish)).toEqual([2]);
  });
});

describe('the judge grades what is asked beside the topic', () => {
  const seniors = item('yogaforseniors.com', 'yoga for=seniors');
  const kids = item('kidsyoga.com', 'yoga for=kids');
  const plain = item('yogahub.com', 'yoga');
  const pilates = item('pilateshub.com', 'pilates');

  it('as needed for the best grade where a listing has it', () => {
    expect(grades('yoga for=seniors', [seniors, kids, plain, pilates])).toEqual([3, 1, 2, 1]);
  });

  it('as no loss where no listing has it', () => {
    expect(grades('yoga for=seniors', [kids, plain])).toEqual([1, 3]);
  });

  it('as welcome only, where it is told in passing', () => {
    expect(grades('yoga for=seniors loosely', [seniors, kids, plain])).toEqual([3, 1, 3]);
  });

  describe('by place', () => {
    const items = [
      item('brooklynpizza.com', 'pizza in=brooklyn'),
      item('nyc.pizza', 'pizza in=new-york'),
      item('berlinpizza.com', 'pizza in=berlin'),
      item('slices.com', 'pizza'),
    ];

    it('with what a place contains as good as the place itself', () => {
      expect(grades('pizza in=new-york', items)).toEqual([3, 3, 1, 2]);
    });

    it('with the wider area as nearly right, and best where there is nothing nearer', () => {
      expect(grades('pizza in=brooklyn', items)).toEqual([3, 2, 1, 2]);
      expect(grades('pizza in=brooklyn', items.slice(1))).toEqual([3, 1, 2]);
    });

    it('alone, or any of several', () => {
      expect(grades('in=brooklyn', items)).toEqual([3, 1, 0, 0]);
      expect(grades('pizza in=brooklyn|berlin', items)).toEqual([3, 2, 3, 2]);
    });

    it('excluded with what it contains', () => {
      expect(grades('pizza not-in=new-york', items)).toEqual([0, 0, 2, 3]);
    });
  });

  it('as half of it in another trade', () => {
    const others = [
      item('leedsroofing.com', 'roofing in=leeds'),
      item('osloroofing.com', 'roofing in=oslo'),
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
    const items = prices.map((price, at) => item(`bakery${at}.com`, 'bakery', price));
    expect(grades(`bakery ${facts}`, items)).toEqual(expected);
  });

  it('but leaves room between currencies', () => {
    const items = [550, 600, 700].map((price, at) => item(`tea${at}.com`, 'tea', price));
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
    ['pattern=^[a-z]{3}$', 'qvx.com', 'qvxz.com'],
    ['pattern=^(\\d)\\1{3}$', '8888.com', '8889.com'],
    ['without=dog', 'catfood.com', 'dogfood.com'],
  ])('for %s, with or without a topic', (facts, good, bad) => {
    expect(grades(facts, [item(good), item(bad)])).toEqual([3, 0]);
    const ofTrade = [item(good, 'pet-food'), item(bad, 'pet-food')];
    expect(grades(`pet-food ${facts}`, ofTrade)).toEqual([3, 0]);
  });

  it('and exclusions too', () => {
    const items = [
      item('resto.com', 'restaurants'),
      item('pizza.com', 'pizza'),
      item('osloresto.com', 'restaurants in=oslo'),
    ];
    expect(grades('restaurants not-trade=pizza not-in=oslo', items)).toEqual([3, 0, 0]);
  });
});

describe('the judge measures wishes', () => {
  const made = item('zorvi.com', 'brand=invented');
  const long = item('zorvikalamestia.com', 'brand=invented');
  const bakery = item('sourdoughbakery.com', 'bakery words=sourdough+bakery');
  const madeForBakery = item('pralo.com', '(bakery) brand=invented');

  it('without a topic', () => {
    expect(grades('wish=short,brandable', [made, long, bakery])).toEqual([3, 0, 0]);
  });

  it('with a topic, where a free brand is second best and a plain name half of it', () => {
    expect(grades('bakery wish=brandable', [madeForBakery, made, bakery])).toEqual([3, 2, 1]);
  });

  it('of price by what the others cost', () => {
    const items = [100, 1000, 1100, 1200, 9000].map((price, at) =>
      item(`tea${at}.com`, 'brand=word', price),
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

it('finds nothing good for gibberish, for other matters and for what is not in the inventory', () => {
  const items = [item('tea.com', 'tea')];
  expect(grades('nothing', items)).toEqual([0]);
  expect(grades('off', items)).toEqual([0]);
  expect(grades('none', items)).toEqual([0]);
});

it('refuses facts that it does not know', () => {
  expect(() => readNeed('tea colour=red', vocabulary)).toThrow('no such fact');
  expect(() => readNeed('tea wish=blue', vocabulary)).toThrow('no such wish');
});

describe('a line of the names', () => {
  it('tells what the owner says and what a person sees in the label', () => {
    const line =
      'money-map.co.uk | 1200 EUR | investing (accounting) for=students words=money+map | finance, budget | For savers.';
    expect(readItem(line, vocabulary)).toMatchObject({
      domain: 'money-map.co.uk',
      label: 'money-map',
      tld: 'co.uk',
      price: 1200,
      currency: 'EUR',
      words: ['money', 'map'],
      trades: ['investing'],
      toldTrades: ['accounting'],
      audiences: ['students'],
      listing: { priceCents: 120_000, keywords: ['finance', 'budget'], description: 'For savers.' },
    });
  });

  it('may tell the suffix as a word', () => {
    const item = readItem('letthemeat.pizza | 90 | pizza words=let+them+eat+pizza', vocabulary);
    expect(item.words).toEqual(['let', 'them', 'eat']);
    expect(readItem('rad.io | 90 | words=radio', vocabulary).words).toEqual(['radio']);
  });

  it.each([
    ['tea.com | 5 | teas', 'teas is none of the trades'],
    ['tea.com | 5 | tea in=atlantis', 'atlantis is none of the places'],
    ['tea.com | 5 | tea colour=red', 'no such fact'],
    ['tea.com | 5 | tea words=te', 'te does not make tea'],
    ['tea.com | cheap | tea', 'no price'],
    ['tea | 5 | tea', 'no domain'],
  ])('is refused where it is wrong: %s', (line, message) => {
    expect(() => readItem(line, vocabulary)).toThrow(message);
  });
});
