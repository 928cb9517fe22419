import type { Grade } from './labels.ts';
import type { Item } from './made-up-inventory.ts';
import type { Need, Wish } from './need.ts';
import type { Trade } from './vocabulary.ts';

/** What a fair buyer would say of each listing. */
export interface Judge {
  /** The grades of all listings that deserve one, by domain. */
  judge(need: Need): Map<string, Grade>;
}

/**
 * A judge of this inventory, who knows what every listing is for and never looks at the words of a query.
 * 3: a buyer would shortlist it. 2: right trade but not all that was asked, or same field. 1: half of it.
 * 0: everything else, and whatever breaks a limit.
 */
export function createJudge(items: readonly Item[], trades: ReadonlyMap<string, Trade>): Judge {
  const prices = items.map(({ price }) => price).sort((a, b) => a - b);
  const wishes = createWishes({
    lowPrice: prices[Math.floor(prices.length * 0.2)] ?? 0,
    highPrice: prices[Math.floor(prices.length * 0.75)] ?? 0,
  });
  return {
    judge(need) {
      const grades = new Map<string, Grade>();
      if (need.nothing) return grades;
      const topic: Topic = {
        need,
        words: new Set(
          need.trades.flatMap((id) => trades.get(id)?.names ?? []).map((name) => name.join('')),
        ),
        near: union(need.trades.map((id) => trades.get(id)?.near)),
        adjacent: union([
          ...need.trades.map((id) => trades.get(id)?.adjacent),
          new Set(need.halfTrades),
        ]),
      };
      const allowed = items.filter((item) => need.limits.every((limit) => limit(item)));
      const bestFacets = allowed
        .filter((item) => relationOf(topic, item) === 'same' && !conflicts(need, item))
        .reduce((best, item) => Math.max(best, facetsMet(need, item)), 0);
      for (const item of allowed) {
        const grade = gradeOf(topic, item, bestFacets, wishes);
        if (grade > 0) grades.set(item.domain, grade);
      }
      return grades;
    },
  };
}

/** A need, with what is known of its trades. */
interface Topic {
  need: Need;
  /** The words for its trades that stand in names. */
  words: ReadonlySet<string>;
  near: ReadonlySet<string>;
  adjacent: ReadonlySet<string>;
}

function union(sets: readonly (ReadonlySet<string> | undefined)[]): Set<string> {
  return new Set(sets.flatMap((set) => [...(set ?? [])]));
}

/** @param bestFacets the most of what was asked beside the trade that any listing of the trade has */
function gradeOf(topic: Topic, item: Item, bestFacets: number, wishes: Wishes): Grade {
  const { need } = topic;
  if (need.name) return gradeName(need.name, item);
  const met = need.wishes.map((wish) => wishes[wish](item));
  const grade =
    need.trades.length > 0
      ? withWishes(gradeTopic(topic, item, bestFacets), need, met, item)
      : gradeWithoutTopic(need, item, met);
  return lower(grade, bestForReader(need, item));
}

/** A name in another language is a curiosity at best, unless it is one that looks like the buyer's own. */
function bestForReader({ language }: Need, item: Item): Grade {
  if (item.language === null || item.language === language) return 3;
  const latin = language !== null && LATIN.has(language) && LATIN.has(item.language);
  return latin ? 2 : 1;
}

const LATIN = new Set(['es', 'de', 'fr', 'pt', 'it', 'nl']);

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
  const facets = need.modifiers.length + (need.audience ? 1 : 0) + (need.place ? 1 : 0);
  const met = facetsMet(need, item);
  switch (relationOf(topic, item)) {
    case 'same': {
      if (conflicts(need, item)) return 1;
      if (met < bestFacets && !need.loosely) return met === 0 && facets > 2 ? 1 : 2;
      const narrower = addsPlaceOrAudience(need, item);
      const whole = need.word === null || item.words.some((word) => word.includes(need.word ?? ''));
      return item.tradeInLabel && !narrower && whole ? 3 : 2;
    }
    case 'near':
      return item.tradeInLabel &&
        !conflicts(need, item) &&
        (facets === 0 || met > 0 || need.loosely)
        ? 2
        : 1;
    case 'adjacent':
      if (conflicts(need, item)) return 0;
      return saysTopic(topic, item) && facets === 0 ? 2 : 1;
    case 'none': {
      // The topic's own word in the name of something else is half of what was asked.
      if (saysTopic(topic, item)) return 1;
      const shared =
        (need.place !== null && item.place === need.place) ||
        (need.audience !== null && item.audience === need.audience);
      return shared ? 1 : 0;
    }
  }
}

type Relation = 'same' | 'near' | 'adjacent' | 'none';

function relationOf({ need, near, adjacent }: Topic, { trade }: Item): Relation {
  if (trade === null) return 'none';
  if (need.trades.includes(trade)) return 'same';
  if (near.has(trade)) return 'near';
  return adjacent.has(trade) ? 'adjacent' : 'none';
}

function saysTopic({ words }: Topic, item: Item): boolean {
  return item.words.some((word) =>
    [...words].some((said) => word === said || (said.length >= 4 && word.startsWith(said))),
  );
}

function facetsMet(need: Need, item: Item): number {
  return (
    need.modifiers.filter((modifier) => item.modifiers.includes(modifier)).length +
    (need.audience !== null && item.audience === need.audience ? 1 : 0) +
    (need.place !== null && item.place === need.place ? 1 : 0)
  );
}

/** For other people or another place than was asked. */
function conflicts(need: Need, item: Item): boolean {
  return (
    (need.place !== null && item.place !== null && item.place !== need.place) ||
    (need.audience !== null && item.audience !== null && item.audience !== need.audience)
  );
}

/** For certain people or a certain place, although nobody asked for it. */
function addsPlaceOrAudience(need: Need, item: Item): boolean {
  return (
    (need.place === null && item.place !== null) ||
    (need.audience === null && item.audience !== null)
  );
}

/** Wishes for a brand: a free brand name of the wished kind serves any topic. */
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
  if (item.trade === null && item.brand !== null) {
    const free = need.wishes.every((wish) => OF_A_BRAND.includes(wish));
    // Not as good as a name that is made for the topic.
    return worst === 1 ? (free ? 2 : 1) : grade;
  }
  if (worst === 0) return lower(grade, 1);
  if (worst < 1) return lower(grade, 2);
  // Whoever wishes a brand does not want the trade spelled out in the name.
  return grade === 2 && item.brand !== null && !item.tradeInLabel ? 3 : grade;
}

function gradeWithoutTopic(need: Need, item: Item, met: readonly number[]): Grade {
  if (need.place !== null || need.audience !== null || need.modifiers.length > 0) {
    const asked = need.modifiers.length + (need.audience ? 1 : 0) + (need.place ? 1 : 0);
    const found = facetsMet(need, item);
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

/** How well a name meets a wish: 1 well, 0.5 nearly, 0 not. */
type Wishes = Record<Wish, (item: Item) => number>;

const FIRST_CLASS_TLDS = new Set(['com', 'io', 'ai']);

function createWishes({ lowPrice, highPrice }: { lowPrice: number; highPrice: number }): Wishes {
  const plain = ({ label }: Item) => /^\p{L}+$/u.test(label);
  const lengthOf = ({ label }: Item) => [...label].length;
  const brandable = (item: Item) => {
    if (!plain(item)) return 0;
    if (item.brand !== null) return lengthOf(item) <= 10 ? 1 : 0.5;
    // A blend such as "bakerly" is a brand of sorts.
    return item.words.length === 1 && item.trade !== null && lengthOf(item) <= 9 ? 0.5 : 0;
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
      return item.brand !== null || item.trade !== null || item.place !== null ? 1 : 0;
    },
    memorable: (item) => {
      if (brandable(item) === 1 && lengthOf(item) <= 8) return 1;
      if (!plain(item) || lengthOf(item) > 12) return 0;
      return item.words.length <= 2 && (item.trade !== null || item.brand !== null) ? 0.5 : 0;
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
      if (item.trade === null || !item.tradeInLabel || item.brand !== null) return 0;
      return item.words.length <= 2 ? 1 : 0.5;
    },
  };
}
