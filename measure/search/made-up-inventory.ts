import type { ListingInput } from '../../shared/market/inventory/listing.ts';
import { type Random, seededRandom } from './random.ts';
import type { Concept, Trade, Vocabulary } from './vocabulary.ts';

/** A listing and what only the judge knows of it. */
export interface Item {
  listing: ListingInput;
  /** As people write it. */
  domain: string;
  label: string;
  tld: string;
  /** In whole units of the listing's currency. */
  price: number;
  currency: 'USD' | 'EUR';
  /** The parts of the label, in order. */
  words: string[];
  trade: string | null;
  /** Whether the label itself speaks of the trade, or only keywords and description do. */
  tradeInLabel: boolean;
  modifiers: string[];
  audience: string | null;
  place: string | null;
  /** A name that could be any brand: made up, or one evocative word. */
  brand: 'invented' | 'word' | null;
  /** The language of a name that is not English. */
  language: string | null;
}

type Facts = Partial<Omit<Item, 'listing' | 'domain' | 'label' | 'words'>>;
interface Name extends Facts {
  words: string[];
  shape: Shape;
}

const SHAPES = {
  noun: 7,
  modified: 20,
  twoNouns: 7,
  suffixed: 18,
  prefixed: 6,
  placed: 10,
  forAudience: 11,
  blended: 6,
  modifiedForAudience: 3,
  branded: 9,
  numbered: 3,
} as const;
type Shape = keyof typeof SHAPES | 'word' | 'invented' | 'short' | 'digits' | 'local' | 'place';

/** What a name of this shape is worth, as a power of ten, before length, suffix and chance. */
const WORTH: Record<Shape, number> = {
  noun: 3.9,
  modified: 3,
  twoNouns: 3,
  suffixed: 2.8,
  prefixed: 2.7,
  placed: 2.7,
  forAudience: 2.7,
  blended: 2.8,
  modifiedForAudience: 2.4,
  branded: 3,
  numbered: 2.3,
  word: 3.9,
  invented: 3.1,
  short: 3.8,
  digits: 3.2,
  local: 2.8,
  place: 3.8,
};

const TLDS = {
  com: 38,
  net: 8,
  org: 6,
  io: 7,
  co: 6,
  ai: 4,
  app: 4,
  shop: 5,
  store: 3,
  de: 4,
  'co.uk': 5,
  dev: 3,
  xyz: 3,
  club: 3,
  fr: 1,
  es: 1,
} as const;
const TLD_WORTH: Record<string, number> = {
  com: 0.4,
  ai: 0.25,
  io: 0.15,
  co: 0,
  app: 0,
  net: -0.1,
};
const OTHER_TLD_WORTH = -0.3;
const TLD_OF_LANGUAGE: Record<string, string[]> = { de: ['de'], fr: ['fr'], es: ['es'] };

/** Listings that are not of a trade. */
const COUNTS = { word: 190, invented: 330, short: 170, digits: 45, place: 30, localEach: 2 };
const TRADE_LISTINGS = { min: 8, max: 16 };
/** How many names are to be had under a second suffix, and with hyphens. */
const TWICE = 0.05;
const HYPHENATED = 0.07;
const WITH_KEYWORDS = 0.5;
const WITH_DESCRIPTION = 0.45;
const PRICES = { min: 50, max: 100_000 };

const BLEND_ENDINGS = ['ly', 'ify', 'io', 'era', 'ora', 'eo', 'ix', 'ster', 'ista', 'able'];
const ONSETS = 'b c d f g k l m n p r s t v z br cr dr fl gl pl tr st qu'.split(' ');
const VOWELS = 'a e i o u a e i o ia eo'.split(' ');
const CODAS = ['', '', '', 'n', 'r', 'l', 'x', 's', 'm'];

/** Some 4,000 listings, the same ones for the same seed and vocabulary. */
export function makeUpInventory(vocabulary: Vocabulary, seed: number): Item[] {
  const random = seededRandom(seed);
  const items = new Map<string, Item>();
  const add = (name: Name) => {
    const item = toItem(name, vocabulary, random);
    if (items.has(item.domain)) return;
    items.set(item.domain, item);
    if (name.tld === undefined && random.chance(TWICE)) {
      const again = toItem({ ...name, words: item.words }, vocabulary, random);
      if (again.label === item.label && !items.has(again.domain)) items.set(again.domain, again);
    }
  };
  for (const trade of vocabulary.trades.values()) {
    const count = random.between(TRADE_LISTINGS.min, TRADE_LISTINGS.max);
    for (let at = 0; at < count; at += 1) add(nameOfTrade(trade, vocabulary, random));
  }
  for (const words of random.sample(vocabulary.brandWords, COUNTS.word)) {
    add({ words, shape: 'word', brand: 'word' });
  }
  for (let at = 0; at < COUNTS.invented; at += 1) {
    add({ words: [invented(random)], shape: 'invented', brand: 'invented' });
  }
  for (let at = 0; at < COUNTS.short; at += 1) add(shortName(random));
  for (let at = 0; at < COUNTS.digits; at += 1) {
    add({ words: [String(random.between(100, 99_999))], shape: 'digits' });
  }
  for (const place of random.sample(vocabulary.places, COUNTS.place)) {
    add({ words: random.pick(place.words), shape: 'place', place: place.id });
  }
  for (const { language, word, trade } of vocabulary.local) {
    for (let at = 0; at < COUNTS.localEach; at += 1) {
      const tld = random.pick(['com', 'com', 'net', ...(TLD_OF_LANGUAGE[language] ?? [])]);
      add({ words: word.split('-'), shape: 'local', trade, tradeInLabel: true, language, tld });
    }
  }
  return [...items.values()];
}

function nameOfTrade(trade: Trade, vocabulary: Vocabulary, random: Random): Name {
  const noun = random.pick(trade.names);
  const facts = { trade: trade.id, tradeInLabel: true };
  const shape = random.weighted(SHAPES);
  const choose = (concepts: Concept[]): [string, string[]] => {
    const concept = random.pick(concepts);
    return [concept.id, random.pick(concept.words)];
  };
  switch (shape) {
    case 'noun':
      return { ...facts, shape, words: noun };
    case 'modified': {
      const [modifier, words] = choose(vocabulary.modifiers);
      return { ...facts, shape, words: [...words, ...noun], modifiers: [modifier] };
    }
    case 'twoNouns': {
      const others = trade.names.filter((name) => name[0]?.slice(0, 4) !== noun[0]?.slice(0, 4));
      return { ...facts, shape, words: [...noun, ...(random.sample(others, 1)[0] ?? ['works'])] };
    }
    case 'suffixed':
      return { ...facts, shape, words: [...noun, ...random.pick(vocabulary.suffixes)] };
    case 'prefixed':
      return { ...facts, shape, words: [...random.pick(vocabulary.prefixes), ...noun] };
    case 'placed': {
      const [place, words] = choose(vocabulary.places);
      return { ...facts, shape, words: [...words, ...noun], place };
    }
    case 'forAudience': {
      const [audience, words] = choose(vocabulary.audiences);
      const joined = random.chance(0.4) ? [...noun, 'for', ...words] : [...words, ...noun];
      return { ...facts, shape, words: joined, audience };
    }
    case 'modifiedForAudience': {
      const [modifier, first] = choose(vocabulary.modifiers);
      const [audience, words] = choose(vocabulary.audiences);
      return {
        ...facts,
        shape,
        words: [...first, ...noun, 'for', ...words],
        modifiers: [modifier],
        audience,
      };
    }
    case 'blended':
      return {
        ...facts,
        shape,
        words: [`${noun.join('').replace(/[aeiouy]$/, '')}${random.pick(BLEND_ENDINGS)}`],
      };
    case 'branded':
      return { ...facts, shape, words: [invented(random)], tradeInLabel: false, brand: 'invented' };
    case 'numbered': {
      const number = random.pick(vocabulary.numbers);
      return {
        ...facts,
        shape,
        words: random.chance(0.5) ? [...number, ...noun] : [...noun, ...number],
      };
    }
  }
}

function shortName(random: Random): Name {
  const length = random.between(3, 5);
  if (random.chance(0.5)) {
    const word = invented(random).slice(0, length);
    return { words: [word], shape: 'short', brand: 'invented' };
  }
  const letters = Array.from({ length: Math.min(length, 4) }, () =>
    random.pick([...'bcdfghjklmnpqrstvwxz']),
  );
  return { words: [letters.join('')], shape: 'short' };
}

function invented(random: Random): string {
  const syllables = random.between(2, 3);
  const parts = Array.from(
    { length: syllables },
    (_, at) =>
      random.pick(ONSETS) + random.pick(VOWELS) + (at === syllables - 1 ? random.pick(CODAS) : ''),
  );
  return parts.join('');
}

function toItem(name: Name, vocabulary: Vocabulary, random: Random): Item {
  const { words, shape, ...facts } = name;
  const hyphen = shape !== 'short' && words.length > 1 && random.chance(HYPHENATED);
  const label = words.join(hyphen || shape === 'local' ? '-' : '');
  const tld = facts.tld ?? random.weighted(TLDS);
  const currency =
    (tld === 'de' || tld === 'fr' || tld === 'es') && random.chance(0.6) ? 'EUR' : 'USD';
  const price = priceOf(label, tld, shape, random);
  const domain = `${label}.${tld}`;
  const item: Omit<Item, 'listing'> = {
    trade: null,
    tradeInLabel: false,
    modifiers: [],
    audience: null,
    place: null,
    brand: null,
    language: null,
    ...facts,
    domain,
    label,
    tld,
    price,
    currency,
    words,
  };
  return {
    ...item,
    listing: { domain, priceCents: price * 100, currency, ...texts(item, vocabulary, random) },
  };
}

function priceOf(label: string, tld: string, shape: Shape, random: Random): number {
  const exponent =
    WORTH[shape] +
    (TLD_WORTH[tld] ?? OTHER_TLD_WORTH) +
    (label.includes('-') ? -0.4 : 0) +
    (label.length > 14 ? -0.2 : 0) +
    (label.length <= 3 ? 0.6 : 0) +
    random.normal(0.35);
  const raw = Math.min(Math.max(10 ** exponent, PRICES.min), PRICES.max);
  const step = 10 ** Math.max(Math.floor(Math.log10(raw)) - 1, 0);
  const round = Math.round(raw / step) * step;
  return Math.max(random.chance(0.3) && round > 100 ? round - 1 : round, PRICES.min);
}

/** What the owner says of it: half of them give keywords, fewer a description, some nothing at all. */
function texts(
  item: Omit<Item, 'listing'>,
  vocabulary: Vocabulary,
  random: Random,
): Pick<ListingInput, 'keywords' | 'description'> {
  const trade = item.trade === null ? undefined : vocabulary.trades.get(item.trade);
  // Nobody could know what a made-up name is for if its owner did not say so.
  const mustTell = trade !== undefined && !item.tradeInLabel;
  const described = random.chance(WITH_DESCRIPTION);
  const tagged = random.chance(WITH_KEYWORDS) || (mustTell && !described);
  return {
    ...(tagged && { keywords: keywordsOf(item, trade, random) }),
    ...(described && { description: descriptionOf(item, trade, random) }),
  };
}

function keywordsOf(
  item: Omit<Item, 'listing'>,
  trade: Trade | undefined,
  random: Random,
): string[] {
  if (!trade) return random.sample(['brandable', 'startup', 'short', 'brand name', 'memorable'], 2);
  const names = trade.names.map((name) => name.join(' '));
  return [
    ...random.sample(trade.tags, random.between(1, 3)),
    ...random.sample(names, random.between(0, 2)),
    ...(random.chance(0.4) ? item.modifiers : []),
    ...(item.audience !== null && random.chance(0.4) ? [item.audience.replace('-', ' ')] : []),
    ...(item.place !== null && random.chance(0.5) ? [item.place] : []),
  ];
}

function descriptionOf(
  item: Omit<Item, 'listing'>,
  trade: Trade | undefined,
  random: Random,
): string {
  if (!trade) {
    return random.pick([
      'A name that fits any young company.',
      'Easy to say and to spell.',
      'Registered since 2009. Fast transfer.',
      'Distinctive and ready for your next product.',
      'Make an offer or buy it now.',
    ]);
  }
  const who = item.audience === null ? '' : ` for ${item.audience.replace('-', ' ')}`;
  const where =
    item.place === null ? '' : ` in ${item.place[0]?.toUpperCase()}${item.place.slice(1)}`;
  return random.pick([
    `For a company that is about ${trade.about}${who}${where}.`,
    `Fits a business in ${trade.tags[0]}${who}${where}.`,
    `Ideal for ${trade.about}${where}.`,
    `The right address for ${trade.tags.slice(0, 2).join(' and ')}${who}.`,
    `${trade.about[0]?.toUpperCase()}${trade.about.slice(1)}${who}${where}: one name says it all.`,
  ]);
}
