import { describe, expect, it } from '@jest/globals';
import { type Item, readItem } from '../../measure/search/inventory.ts';
import { createJudge } from '../../measure/search/judge.ts';
import { readNeed } from '../../measure/search/need.ts';
import { readVocabulary } from '../../measure/search/vocabulary.ts';

const vocabulary = readVocabulary();

/** A listing with these facts, written as in the name files. */
function item(domain: string, facts = '', price = 500): Item {
  return readItem(`${domain} | ${price} | ${facts}`, vocabulary);
}

/** The grades of these listings, in order, for what a buyer needs. */
function grades(facts: string, items: Item[]): number[] {
  const graded = createJudge(items, vocabulary).judge(readNeed(facts, vocabulary));
  return items.map(({ domain }) => graded.get(domain) ?? 0);
}

describe('grading names for a topic', () => {
  it('ranks by how close the trade is', () => {
    const items = [
      item('bakery.com', 'bakery'),
      item('cakes.com', 'cakes'),
      item('espresso.com', 'cafe'),
      item('scaffold.com', 'scaffolding'),
    ];
    expect(grades('bakery', items)).toEqual([3, 2, 1, 0]);
  });

  it('grades lower when only the description fits, not the name', () => {
    expect(grades('bakery', [item('zorvi.com', '(bakery) brand=invented')])).toEqual([2]);
  });

  it('grades generic brand names lower unless a brand is wished for', () => {
    const items = [item('sprout.app', 'plants brand=word'), item('plants.app', 'plants')];
    expect(grades('plants', items)).toEqual([2, 3]);
    expect(grades('plants wish=brandable', items)).toEqual([3, 2]);
  });

  it('grades lower when the name has an audience or place nobody asked for', () => {
    const items = [item('kidsyoga.com', 'yoga for=kids'), item('osloyoga.com', 'yoga in=oslo')];
    expect(grades('yoga', items)).toEqual([2, 2]);
  });

  it('gives 1 when its word appears in the name of another trade', () => {
    expect(grades('yoga', [item('yogadrum.com', 'instruments words=yoga+drum')])).toEqual([1]);
  });

  it('uses the closest of several trades', () => {
    const items = [
      item('ledgerfund.com', 'investing accounting'),
      item('ledgerhub.com', 'investing (accounting)'),
      item('coinfund.com', 'investing'),
    ];
    expect(grades('accounting', items).slice(0, 2)).toEqual([3, 2]);
    expect(grades('investing', items)).toEqual([3, 3, 3]);
  });

  it('treats a suffix that is a word like any other word', () => {
    const items = [item('namaste.yoga', 'yoga'), item('lotus.yoga', 'pilates')];
    expect(grades('yoga word=yoga', items)).toEqual([3, 2]);
  });

  it('prefers names with the requested word', () => {
    const items = [
      item('matchahub.com', 'tea words=matcha+hub'),
      item('teahub.com', 'tea words=tea+hub'),
    ];
    expect(grades('tea word=matcha', items)).toEqual([3, 2]);
  });

  it('accepts any of several requested words, short ones only as whole words', () => {
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

  it('gives 2 for its own word in an adjacent trade', () => {
    const photos = item('weddingphotohub.com', 'wedding-photography words=weddingphoto+hub');
    expect(grades('wedding-planning', [photos])).toEqual([2]);
  });

  it('gives 1 for a trade that is only mentioned', () => {
    expect(grades('crm half=real-estate', [item('realty.com', 'real-estate')])).toEqual([1]);
  });

  it('grades names in a script that the buyer does not read lower', () => {
    const items = [item('牙科.com', 'dentistry lang=zh')];
    expect(grades('dentistry', items)).toEqual([1]);
    expect(grades('dentistry lang=zh', items)).toEqual([3]);
    const spanish = [item('cafetería.com', 'cafe lang=es')];
    expect(grades('cafe lang=pt', spanish)).toEqual([2]);
  });
});

describe('grading requests beyond the topic', () => {
  const seniors = item('yogaforseniors.com', 'yoga for=seniors');
  const kids = item('kidsyoga.com', 'yoga for=kids');
  const plain = item('yogahub.com', 'yoga');
  const pilates = item('pilateshub.com', 'pilates');

  it('requires the audience for the best grade if a listing has it', () => {
    expect(grades('yoga for=seniors', [seniors, kids, plain, pilates])).toEqual([3, 1, 2, 1]);
  });

  it('ignores the audience if no listing has it', () => {
    expect(grades('yoga for=seniors', [kids, plain])).toEqual([1, 3]);
  });

  it('only welcomes an audience that is mentioned in passing', () => {
    expect(grades('yoga for=seniors loosely', [seniors, kids, plain])).toEqual([3, 1, 3]);
  });

  describe('for a place', () => {
    const items = [
      item('brooklynpizza.com', 'pizza in=brooklyn'),
      item('nyc.pizza', 'pizza in=new-york'),
      item('berlinpizza.com', 'pizza in=berlin'),
      item('slices.com', 'pizza'),
    ];

    it('treats places within the requested one as equally good', () => {
      expect(grades('pizza in=new-york', items)).toEqual([3, 3, 1, 2]);
    });

    it('ranks the surrounding area lower, or best if nothing is nearer', () => {
      expect(grades('pizza in=brooklyn', items)).toEqual([3, 2, 1, 2]);
      expect(grades('pizza in=brooklyn', items.slice(1))).toEqual([3, 1, 2]);
    });

    it('accepts a place alone or any of several places', () => {
      expect(grades('in=brooklyn', items)).toEqual([3, 1, 0, 0]);
      expect(grades('pizza in=brooklyn|berlin', items)).toEqual([3, 2, 3, 2]);
    });

    it('excludes a place with everything in it', () => {
      expect(grades('pizza not-in=new-york', items)).toEqual([0, 0, 2, 3]);
    });
  });

  it('gives 1 for the right place in another trade', () => {
    const others = [
      item('leedsroofing.com', 'roofing in=leeds'),
      item('osloroofing.com', 'roofing in=oslo'),
    ];
    expect(grades('tea in=leeds', others)).toEqual([1, 0]);
  });
});

describe('grading with hard limits', () => {
  it.each([
    ['price<500', [500, 501], [3, 0]],
    ['price=100-200', [99, 100, 200, 201], [0, 3, 3, 0]],
    ['price>1000', [1000, 999], [3, 0]],
  ])('applies %s', (facts, prices, expected) => {
    const items = prices.map((price, at) => item(`bakery${at}.com`, 'bakery', price));
    expect(grades(`bakery ${facts}`, items)).toEqual(expected);
  });

  it('tolerates price differences between currencies', () => {
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
  ])('applies %s, with or without a topic', (facts, good, bad) => {
    expect(grades(facts, [item(good), item(bad)])).toEqual([3, 0]);
    const ofTrade = [item(good, 'pet-food'), item(bad, 'pet-food')];
    expect(grades(`pet-food ${facts}`, ofTrade)).toEqual([3, 0]);
  });

  it('applies exclusions', () => {
    const items = [
      item('resto.com', 'restaurants'),
      item('pizza.com', 'pizza'),
      item('osloresto.com', 'restaurants in=oslo'),
    ];
    expect(grades('restaurants not-trade=pizza not-in=oslo', items)).toEqual([3, 0, 0]);
  });
});

describe('grading wishes', () => {
  const made = item('zorvi.com', 'brand=invented');
  const long = item('zorvikalamestia.com', 'brand=invented');
  const bakery = item('sourdoughbakery.com', 'bakery words=sourdough+bakery');
  const madeForBakery = item('pralo.com', '(bakery) brand=invented');

  it('works without a topic', () => {
    expect(grades('wish=short,brandable', [made, long, bakery])).toEqual([3, 0, 0]);
  });

  it('ranks a free brand second and a plain name third for a topic', () => {
    expect(grades('bakery wish=brandable', [madeForBakery, made, bakery])).toEqual([3, 2, 1]);
  });

  it('judges price relative to the other listings', () => {
    const items = [100, 1000, 1100, 1200, 9000].map((price, at) =>
      item(`tea${at}.com`, 'brand=word', price),
    );
    expect(grades('wish=cheap', items)).toEqual([3, 3, 2, 2, 0]);
  });
});

describe('grading a search for a specific name', () => {
  const items = [item('lantern.com'), item('lantern.io'), item('mylanterns.com'), item('tea.com')];

  it('ranks the requested suffix first', () => {
    expect(grades('name=lantern.com', items)).toEqual([3, 2, 1, 0]);
  });

  it('ranks all suffixes equally if none was typed', () => {
    expect(grades('name~lantern.com', items)).toEqual([3, 3, 1, 0]);
  });
});

it('finds nothing good for gibberish, other subjects, or names not in the inventory', () => {
  const items = [item('tea.com', 'tea')];
  expect(grades('nothing', items)).toEqual([0]);
  expect(grades('off', items)).toEqual([0]);
  expect(grades('none', items)).toEqual([0]);
});

it('refuses unknown facts and wishes', () => {
  expect(() => readNeed('tea colour=red', vocabulary)).toThrow('no such fact');
  expect(() => readNeed('tea wish=blue', vocabulary)).toThrow('no such wish');
});

describe('a line of the name list', () => {
  it("holds the owner's data and what people see in the label", () => {
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

  it('may include the suffix as a word', () => {
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
  ])('is rejected when malformed: %s', (line, message) => {
    expect(() => readItem(line, vocabulary)).toThrow(message);
  });
});
