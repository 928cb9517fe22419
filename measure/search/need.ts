import type { Item } from './inventory.ts';
import { isWithin, knownIds, type Vocabulary } from './vocabulary.ts';

/** Measurable qualities that a buyer may want in a name. */
const WISHES = [
  'short',
  'brandable',
  'one-word',
  'memorable',
  'premium',
  'luxury',
  'modern',
  'cheap',
  'keyword',
] as const;
export type Wish = (typeof WISHES)[number];

/** A hard limit: a listing that breaks it is useless, however well it fits otherwise. */
type Limit = (item: Item) => boolean;

/** The facts of what a buyer is looking for with a query. */
export interface Need {
  /** Any of them will do. */
  trades: string[];
  /** Trades mentioned on the side: half of what was asked for. */
  halfTrades: string[];
  /** Words for a part of the trade: names with any of them beat others of the trade. */
  partWords: string[];
  modifiers: string[];
  /** Any of them will do; so will places within a place. */
  audiences: string[];
  places: string[];
  /** Modifiers, audience and place are mentioned in passing: a name without them is just as good. */
  loosely: boolean;
  /** The language of the query, if not English. */
  language: string | null;
  limits: Limit[];
  wishes: Wish[];
  /** The exact domain to find; with `anyTld`, its label under any suffix. */
  name: { domain: string; anyTld: boolean } | null;
  /** Gibberish or off topic: no results is the only right answer. */
  silence: boolean;
  /** A real need that no listing serves. */
  outOfInventory: boolean;
}

const DOLLARS = { USD: 1, EUR: 1.1 };
/** Allows for changing exchange rates between currencies. */
const RATE_TOLERANCE = 1.15;

/**
 * Reads the facts written next to a query, such as `bakery for=kids price<500 tld=com`:
 * - a bare word is a trade (`a|b`: either), `half=` one mentioned on the side, `word=` (`a|b`: either; may be within a
 *   word of the name, but must be the whole word if it has less than four letters), `mod=`, `for=`, `in=` (`a|b`:
 *   either), `lang=`, `wish=`, `name=` (`name~`: under any suffix);
 * - hard limits: `tld=com|net`, `tld!=com`, `price<500`, `price>500`, `price=100-500` (`500eur`), `len<=6`, `len=4`,
 *   `len>=8`, `starts=`, `ends=`, `contains=`, `pattern=` (a regular expression for the label), `words=2`,
 *   `has=digit|hyphen`, `not=digit|hyphen`, `only=digits|letters`, `without=text` (neither in the label nor in keywords
 *   or description), `not-trade=`, `not-mod=`, `not-for=`, `not-in=`;
 * - `loosely`: modifiers, audience and place are mentioned in passing;
 * - `nothing` for gibberish, `off` for off-topic queries, `none` for needs that no listing serves.
 * @throws Error for any other fact, and for an id that isn't in the vocabulary
 */
export function readNeed(facts: string, vocabulary: Vocabulary): Need {
  const need: Need = {
    trades: [],
    halfTrades: [],
    partWords: [],
    modifiers: [],
    audiences: [],
    places: [],
    loosely: false,
    language: null,
    limits: [],
    wishes: [],
    name: null,
    silence: false,
    outOfInventory: false,
  };
  for (const fact of facts.trim().split(/\s+/)) addFact(need, fact, vocabulary);
  return need;
}

function addFact(need: Need, fact: string, vocabulary: Vocabulary): void {
  const [, key = '', relation = '', value = ''] =
    /^([a-z0-9|-]+)(<=|>=|!=|<|>|=|~)?(.*)$/.exec(fact) ?? [];
  if (relation === '') {
    if (fact === 'nothing' || fact === 'off') need.silence = true;
    else if (fact === 'loosely') need.loosely = true;
    else if (fact === 'none') need.outOfInventory = true;
    else need.trades.push(...knownIds(vocabulary, 'trades', fact));
    return;
  }
  switch (key) {
    case 'word':
      need.partWords.push(...value.split('|'));
      return;
    case 'half':
      need.halfTrades.push(...knownIds(vocabulary, 'trades', value));
      return;
    case 'mod':
      need.modifiers.push(...knownIds(vocabulary, 'modifiers', value));
      return;
    case 'for':
      need.audiences.push(...knownIds(vocabulary, 'audiences', value));
      return;
    case 'in':
      need.places.push(...knownIds(vocabulary, 'places', value));
      return;
    case 'lang':
      need.language = value;
      return;
    case 'wish':
      for (const wish of value.split(',')) {
        if (!(WISHES as readonly string[]).includes(wish)) throw new Error(`no such wish: ${wish}`);
        need.wishes.push(wish as Wish);
      }
      return;
    case 'name':
      need.name = { domain: value, anyTld: relation === '~' };
      return;
    default:
      need.limits.push(readLimit(key, relation, value, vocabulary));
  }
}

function readLimit(key: string, relation: string, value: string, vocabulary: Vocabulary): Limit {
  const values = value.split('|');
  const wanted = relation !== '!=';
  switch (key) {
    case 'tld':
      return ({ tld }) => values.includes(tld) === wanted;
    case 'price':
      return readPriceLimit(relation, value);
    case 'len': {
      const length = Number(value);
      if (relation === '<=') return ({ label }) => [...label].length <= length;
      if (relation === '>=') return ({ label }) => [...label].length >= length;
      return ({ label }) => [...label].length === length;
    }
    case 'starts':
      return ({ label }) => values.some((text) => label.startsWith(text)) === wanted;
    case 'ends':
      return ({ label }) => values.some((text) => label.endsWith(text)) === wanted;
    case 'contains':
      return ({ label }) => values.some((text) => label.includes(text)) === wanted;
    case 'words':
      return ({ words, label }) => words.length === Number(value) && /\p{L}/u.test(label);
    case 'pattern': {
      const pattern = new RegExp(value, 'u');
      return ({ label }) => pattern.test(label) === wanted;
    }
    case 'has':
      return ({ label }) => values.every((what) => CHARACTERS[what]?.test(label));
    case 'not':
      return ({ label }) => !values.some((what) => CHARACTERS[what]?.test(label));
    case 'only':
      return ({ label }) => (value === 'digits' ? /^\d+$/ : /^\p{L}+$/u).test(label);
    case 'without':
      return ({ label, listing }) =>
        !values.some((text) =>
          [label, ...(listing.keywords ?? []), listing.description ?? ''].some((said) =>
            said.toLowerCase().includes(text),
          ),
        );
    case 'not-trade': {
      const ids = knownIds(vocabulary, 'trades', value);
      return ({ trades, toldTrades }) => !shares(ids, [...trades, ...toldTrades]);
    }
    case 'not-mod': {
      const ids = knownIds(vocabulary, 'modifiers', value);
      return ({ modifiers }) => !shares(ids, modifiers);
    }
    case 'not-for': {
      const ids = knownIds(vocabulary, 'audiences', value);
      return ({ audiences }) => !shares(ids, audiences);
    }
    case 'not-in': {
      const ids = knownIds(vocabulary, 'places', value);
      return (item) => !item.places.some((place) => isWithin(vocabulary.places, place, ids));
    }
    default:
      throw new Error(`no such fact: ${key}${relation}${value}`);
  }
}

export function shares(some: readonly string[], others: readonly string[]): boolean {
  return some.some((each) => others.includes(each));
}

const CHARACTERS: Record<string, RegExp> = { digit: /\d/, hyphen: /-/ };

function readPriceLimit(relation: string, value: string): Limit {
  const currency = value.endsWith('eur') ? 'EUR' : 'USD';
  const [first = 0, second = first] = value.replace(/eur$/, '').split('-').map(Number);
  const min = relation === '<' ? 0 : first;
  const max = relation === '>' ? Number.POSITIVE_INFINITY : second;
  if (Number.isNaN(min) || Number.isNaN(max)) throw new Error(`no such price: ${value}`);
  return (item) => {
    const price = (item.price * DOLLARS[item.currency]) / DOLLARS[currency];
    const tolerance = item.currency === currency ? 1 : RATE_TOLERANCE;
    return price >= min / tolerance && price <= max * tolerance;
  };
}
