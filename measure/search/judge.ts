import { type Item, isForTrade } from './inventory.ts';
import type { Grade } from './labels.ts';
import { type Need, shares, type Wish } from './need.ts';
import { isWithin, type Vocabulary } from './vocabulary.ts';

/** Grades listings as a fair buyer would. */
export interface Judge {
  /** Returns the grades above 0, by domain. */
  judge(need: Need): Map<string, Grade>;
}

/**
 * Creates a judge of this inventory, who knows what every listing is for and never looks at the words of a query.
 * 3: a buyer would shortlist it. 2: the right trade but not everything asked for, or the same field. 1: half of it.
 * 0: everything else, and whatever breaks a limit.
 */
export function createJudge(
  items: readonly Item[],
  { trades, places }: Pick<Vocabulary, 'trades' | 'places'>,
): Judge {
  const prices = items.map(({ price }) => price).sort((a, b) => a - b);
  const wishes = createWishes({
    lowPrice: prices[Math.floor(prices.length * 0.2)] ?? 0,
    highPrice: prices[Math.floor(prices.length * 0.75)] ?? 0,
  });
  return {
    judge(need) {
      const grades = new Map<string, Grade>();
      if (need.silence || need.outOfInventory) return grades;
      const topic: Topic = {
        need,
        places,
        words: new Set(need.trades.flatMap((id) => trades.get(id)?.words ?? [])),
        near: union(need.trades.map((id) => trades.get(id)?.near)),
        adjacent: union([
          ...need.trades.map((id) => trades.get(id)?.adjacent),
          new Set(need.halfTrades),
        ]),
      };
      const allowed = items.filter((item) => need.limits.every((limit) => limit(item)));
      const bestFacets = allowed
        .filter((item) => relationOf(topic, item) === 'same' && !conflicts(topic, item))
        .reduce((best, item) => Math.max(best, facetsMet(topic, item)), 0);
      for (const item of allowed) {
        const grade = gradeOf(topic, item, bestFacets, wishes);
        if (grade > 0) grades.set(item.domain, grade);
      }
      return grades;
    },
  };
}

/** A need, with the vocabulary's facts about its trades and places. */
interface Topic {
  need: Need;
  places: Vocabulary['places'];
  /** Words for its trades that occur in names. */
  words: ReadonlySet<string>;
  near: ReadonlySet<string>;
  adjacent: ReadonlySet<string>;
}

function union(sets: readonly (ReadonlySet<string> | undefined)[]): Set<string> {
  return new Set(sets.flatMap((set) => [...(set ?? [])]));
}

/** @param bestFacets the most facets (modifiers, audience, place) that any listing of the trade meets */
function gradeOf(topic: Topic, item: Item, bestFacets: number, wishes: Wishes): Grade {
  const { need } = topic;
  if (need.name) return gradeName(need.name, item);
  const met = need.wishes.map((wish) => wishes[wish](item));
  const grade =
    need.trades.length > 0
      ? withWishes(gradeTopic(topic, item, bestFacets), need, met, item)
      : gradeWithoutTopic(topic, item, met);
  return lower(grade, bestForReader(need, item));
}

/** Returns the best possible grade for a reader: 1 for a name in a foreign language, 2 if they can read its script. */
function bestForReader({ language }: Need, item: Item): Grade {
  if (item.language === null || item.language === language) return 3;
  const readable = language !== null && !OTHER_SCRIPTS.has(language);
  return readable && /^[\p{Script=Latin}\d-]+$/u.test(item.label) ? 2 : 1;
}

/** Languages that aren't written in Latin letters. */
const OTHER_SCRIPTS = new Set('ru uk bg sr el zh ja ko ar fa he hi bn th ka hy'.split(' '));

function gradeName({ domain, anyTld }: { domain: string; anyTld: boolean }, item: Item): Grade {
  const label = domain.split('.')[0] ?? '';
  if (item.domain === domain) return 3;
  if (item.label === label) return anyTld ? 3 : 2;
  if (item.label.replaceAll('-', '') === label.replaceAll('-', '')) return 2;
  const contained = label.length >= 5 && item.label.includes(label);
  return contained ? 1 : 0;
}

function gradeTopic(topic: Topic, item: Item, bestFacets: number): Grade {
  const { need } = topic;
  const facets = facetsAsked(need);
  const met = facetsMet(topic, item);
  const relation = relationOf(topic, item);
  const inLabel = item.trades.some((trade) => relationTo(topic, trade) === relation);
  switch (relation) {
    case 'same': {
      if (conflicts(topic, item)) return 1;
      if (met < bestFacets && !need.loosely) return met === 0 && facets > 2 ? 1 : 2;
      const narrower = addsPlaceOrAudience(need, item);
      const whole = need.partWords.length === 0 || saysPart(need, item);
      // A name that could be any brand only hints at the trade.
      return inLabel && item.brand === null && !narrower && whole ? 3 : 2;
    }
    case 'near':
      return inLabel && !conflicts(topic, item) && (facets === 0 || met > 0 || need.loosely)
        ? 2
        : 1;
    case 'adjacent':
      if (conflicts(topic, item)) return 0;
      return saysTopic(topic, item) && facets === 0 ? 2 : 1;
    case 'none': {
      // A name of something else with a word of the topic is half of what was asked for.
      if (saysTopic(topic, item)) return 1;
      const shared = placeMet(topic, item) === 1 || shares(need.audiences, item.audiences);
      return shared ? 1 : 0;
    }
  }
}

/** How near a trade is to the topic, nearest first. */
const RELATIONS = ['same', 'near', 'adjacent', 'none'] as const;
type Relation = (typeof RELATIONS)[number];

/** Returns the relation of the listing's nearest trade. */
function relationOf(topic: Topic, { trades, toldTrades }: Item): Relation {
  const relations = [...trades, ...toldTrades].map((trade) => relationTo(topic, trade));
  return RELATIONS.find((relation) => relations.includes(relation)) ?? 'none';
}

function relationTo({ need, near, adjacent }: Topic, trade: string): Relation {
  if (need.trades.includes(trade)) return 'same';
  if (near.has(trade)) return 'near';
  return adjacent.has(trade) ? 'adjacent' : 'none';
}

function saysTopic({ words }: Topic, item: Item): boolean {
  return spokenWords(item).some((word) =>
    [...words].some((said) => word === said || (said.length >= 4 && word.startsWith(said))),
  );
}

/** Returns whether the name has one of the words for the requested part of the trade. */
function saysPart({ partWords }: Need, item: Item): boolean {
  return spokenWords(item).some((said) =>
    // Shorter words occur by chance within others, such as "ear" in "year".
    partWords.some((word) => said === word || (word.length >= 4 && said.includes(word))),
  );
}

/** Returns the words of the label, and its suffix, which may also be a word: `namaste.yoga`. */
function spokenWords({ words, tld }: Item): string[] {
  return [...words, tld];
}

function facetsAsked({ modifiers, audiences, places }: Need): number {
  return modifiers.length + (audiences.length > 0 ? 1 : 0) + (places.length > 0 ? 1 : 0);
}

function facetsMet(topic: Topic, item: Item): number {
  const { need } = topic;
  return (
    need.modifiers.filter((modifier) => item.modifiers.includes(modifier)).length +
    (shares(need.audiences, item.audiences) ? 1 : 0) +
    placeMet(topic, item)
  );
}

/** Returns 1 for the requested place, 0.5 for a wider area around it. */
function placeMet({ need, places }: Topic, item: Item): number {
  if (item.places.some((place) => isWithin(places, place, need.places))) return 1;
  return need.places.some((place) => isWithin(places, place, item.places)) ? 0.5 : 0;
}

/** Returns whether the listing is for a different audience or place than requested. */
function conflicts(topic: Topic, item: Item): boolean {
  const { places, audiences } = topic.need;
  return (
    (places.length > 0 && item.places.length > 0 && placeMet(topic, item) === 0) ||
    (audiences.length > 0 && item.audiences.length > 0 && !shares(audiences, item.audiences))
  );
}

/** Returns whether the listing is for a certain audience or place that nobody asked for. */
function addsPlaceOrAudience(need: Need, item: Item): boolean {
  return (
    (need.places.length === 0 && item.places.length > 0) ||
    (need.audiences.length === 0 && item.audiences.length > 0)
  );
}

/** Wishes that suit a brand: a brand name that meets them, and isn't tied to a trade, serves any topic. */
const OF_A_BRAND: readonly Wish[] = [
  'short',
  'brandable',
  'one-word',
  'memorable',
  'luxury',
  'modern',
];

function withWishes(grade: Grade, need: Need, met: readonly number[], item: Item): Grade {
  if (met.length === 0) return grade;
  const worst = Math.min(...met);
  if (!isForTrade(item) && item.brand !== null) {
    const free = need.wishes.every((wish) => OF_A_BRAND.includes(wish));
    // Not as good as a name made for the topic.
    return worst === 1 ? (free ? 2 : 1) : grade;
  }
  if (worst === 0) return lower(grade, 1);
  if (worst < 1) return lower(grade, 2);
  // Buyers who want a brand don't want the trade spelled out, so a brand of their trade is the best answer.
  const ofTrade = shares(need.trades, [...item.trades, ...item.toldTrades]);
  return grade === 2 && item.brand !== null && ofTrade ? 3 : grade;
}

function gradeWithoutTopic(topic: Topic, item: Item, met: readonly number[]): Grade {
  const { need } = topic;
  const asked = facetsAsked(need);
  if (asked > 0) {
    const found = facetsMet(topic, item);
    return found === asked ? 3 : found > 0 ? 1 : 0;
  }
  if (met.length === 0) return need.limits.length > 0 ? 3 : 0;
  const worst = Math.min(...met);
  if (worst === 1) return 3;
  if (worst > 0) return 2;
  return met.includes(1) ? 1 : 0;
}

function lower(a: Grade, b: Grade): Grade {
  return a < b ? a : b;
}

/** How well a name meets each wish: 1 fully, 0.5 nearly, 0 not at all. */
type Wishes = Record<Wish, (item: Item) => number>;

const FIRST_CLASS_TLDS = new Set(['com', 'io', 'ai']);

function createWishes({ lowPrice, highPrice }: { lowPrice: number; highPrice: number }): Wishes {
  const plain = ({ label }: Item) => /^\p{L}+$/u.test(label);
  const lengthOf = ({ label }: Item) => [...label].length;
  const brandable = (item: Item) => {
    if (!plain(item)) return 0;
    if (item.brand !== null) return lengthOf(item) <= 10 ? 1 : 0.5;
    // A variation such as "bakerly" is a brand of sorts.
    return item.words.length === 1 && isForTrade(item) && lengthOf(item) <= 9 ? 0.5 : 0;
  };
  const premium = (item: Item) => {
    if (!plain(item) || lengthOf(item) > 10 || item.price < highPrice) return 0;
    const strong = item.brand === 'invented' ? lengthOf(item) <= 6 : item.words.length === 1;
    return strong && FIRST_CLASS_TLDS.has(item.tld) ? 1 : 0.5;
  };
  return {
    short: (item) => (lengthOf(item) <= 6 ? 1 : lengthOf(item) <= 8 ? 0.5 : 0),
    brandable,
    'one-word': (item) => {
      if (!plain(item) || item.words.length !== 1) return 0;
      if (item.brand === 'invented') return 0.5;
      return item.brand !== null || isForTrade(item) || item.places.length > 0 ? 1 : 0;
    },
    memorable: (item) => {
      if (brandable(item) === 1 && lengthOf(item) <= 8) return 1;
      if (!plain(item) || lengthOf(item) > 12) return 0;
      return item.words.length <= 2 && (isForTrade(item) || item.brand !== null) ? 0.5 : 0;
    },
    premium,
    luxury: (item) => {
      if (item.modifiers.includes('luxury') || premium(item) === 1) return 1;
      return brandable(item) === 1 && lengthOf(item) <= 9 ? 1 : 0;
    },
    modern: (item) =>
      item.modifiers.includes('modern') || item.modifiers.includes('smart') ? 1 : brandable(item),
    cheap: (item) => (item.price <= lowPrice ? 1 : item.price <= lowPrice * 1.6 ? 0.5 : 0),
    keyword: (item) => {
      if (item.trades.length === 0 || item.brand !== null) return 0;
      return item.words.length <= 2 ? 1 : 0.5;
    },
  };
}
