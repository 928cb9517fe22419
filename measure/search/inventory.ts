import { draftListing, type ListingInput } from '../../shared/market/inventory/listing.ts';
import {
  columns,
  filesOf,
  knownIds,
  readEach,
  readLines,
  split,
  type Vocabulary,
} from './vocabulary.ts';

/** A listing, and facts that only the judge knows. */
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
  /** The trades that the name itself suggests, including its suffix. */
  trades: string[];
  /** The trades that only its keywords or description mention. */
  toldTrades: string[];
  modifiers: string[];
  audiences: string[];
  places: string[];
  /** Set for a name that could be any brand: made up, or one evocative word. */
  brand: 'invented' | 'word' | null;
  /** The language of the name, if not English. */
  language: string | null;
}

/**
 * Reads the names to list, similar to real portfolios: `domain | price | facts | keywords | description`. Prices are in
 * dollars unless they say `EUR`. Facts are ids of trades (`(bakery)` if only keywords or description mention it),
 * `in=`, `for=`, `mod=`, `lang=`, `brand=invented|word`, and `words=money+map`, how a person splits the label.
 * @throws Error with the file and line of each mistake
 */
export function readInventory(vocabulary: Vocabulary): Item[] {
  const seen = new Set<string>();
  return readEach(filesOf('names').flatMap(readLines), ({ text }) => {
    const item = readItem(text, vocabulary);
    if (seen.has(item.domain)) throw new Error(`${item.domain} is listed twice`);
    seen.add(item.domain);
    return item;
  });
}

/** Returns whether the marketplace accepts the name; it rejects some names of some registries. */
export function isListable({ listing }: Item, emojiTlds: ReadonlySet<string>): boolean {
  try {
    return Boolean(draftListing('LIVE', listing, emojiTlds));
  } catch {
    return false;
  }
}

/** @throws Error for a line that isn't a listing, or has an id that isn't in the vocabulary */
export function readItem(line: string, vocabulary: Vocabulary): Item {
  const [domain = '', amount = '', facts = '', tags = '', description = ''] = columns(line, 5);
  const [label = '', ...suffix] = domain.split('.');
  const [, price, currency = 'USD'] = /^(\d+)(?: (USD|EUR))?$/.exec(amount) ?? [];
  if (suffix.length === 0) throw new Error(`no domain: ${domain}`);
  if (price === undefined) throw new Error(`no price: ${amount}`);
  const keywords = split(tags, ',');
  const item: Item = {
    domain,
    label,
    tld: suffix.join('.'),
    price: Number(price),
    currency: currency === 'EUR' ? 'EUR' : 'USD',
    words: label.split('-').filter((word) => word !== ''),
    trades: [],
    toldTrades: [],
    modifiers: [],
    audiences: [],
    places: [],
    brand: null,
    language: null,
    listing: {
      domain,
      priceCents: Number(price) * 100,
      currency,
      ...(keywords.length > 0 && { keywords }),
      ...(description !== '' && { description }),
    },
  };
  for (const [, ids = ''] of facts.matchAll(/\(([^)]*)\)/g)) {
    item.toldTrades.push(...knownIds(vocabulary, 'trades', ids));
  }
  for (const fact of split(facts.replaceAll(/\([^)]*\)/g, ' '), ' ')) {
    addFact(item, fact, vocabulary);
  }
  return item;
}

/** Returns whether the name or its texts say what it is for. */
export function isForTrade({ trades, toldTrades }: Pick<Item, 'trades' | 'toldTrades'>): boolean {
  return trades.length > 0 || toldTrades.length > 0;
}

function addFact(item: Item, fact: string, vocabulary: Vocabulary): void {
  const [key = '', value] = fact.split('=');
  if (value === undefined) {
    item.trades.push(...knownIds(vocabulary, 'trades', key));
    return;
  }
  switch (key) {
    case 'in':
      item.places.push(...knownIds(vocabulary, 'places', value));
      return;
    case 'for':
      item.audiences.push(...knownIds(vocabulary, 'audiences', value));
      return;
    case 'mod':
      item.modifiers.push(...knownIds(vocabulary, 'modifiers', value));
      return;
    case 'lang':
      item.language = value;
      return;
    case 'brand':
      if (value !== 'invented' && value !== 'word') throw new Error(`no such brand: ${value}`);
      item.brand = value;
      return;
    case 'words':
      item.words = labelWords(item, split(value, '+'));
      return;
    default:
      throw new Error(`no such fact: ${fact}`);
  }
}

/** Returns a label's words as a person reads them: without the suffix, or across the dot as in `rad.io`. */
function labelWords({ label, tld }: Item, words: string[]): string[] {
  const whole = label.replaceAll('-', '');
  const said = words.join('');
  if (said !== whole && said !== whole + tld) throw new Error(`${said} does not make ${label}`);
  return said !== whole && words.at(-1) === tld ? words.slice(0, -1) : words;
}
