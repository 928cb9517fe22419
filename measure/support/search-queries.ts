import { MODIFIERS, TRADES } from '../../db/seeds/business-vocabulary.ts';
import { createRandom, type Random } from '../../db/seeds/random.ts';
import { wordList } from '../../shared/market/search/language/word-list.ts';
import { commonWord } from './search-inventory.ts';

const SEED = 77;
const COMMON = [
  'home',
  'online',
  'shop',
  'data',
  'world',
  'time',
  'people',
  'market',
  'city',
  'the',
];
const NONSENSE = [
  'xqzvwkjh',
  'asdkjh qweoiu',
  'blorf glimp',
  'zzzzzz',
  'qwrtp plmkn',
  '%%% &&& |||',
];
const FOREIGN = [
  '青空',
  'пекарня',
  'möbel haus',
  'café lumière',
  'حلويات',
  '寿司屋',
  'κήπος',
  'ñandú',
];

/** Queries as buyers type them, by kind and share. */
const KINDS: readonly (readonly [share: number, make: (random: Random) => string])[] = [
  [20, (random) => random.pick(random.pick(TRADES).nouns)],
  [5, (random) => commonWord(random, knownWords())],
  [22, (random) => `${random.pick(MODIFIERS)} ${random.pick(random.pick(TRADES).nouns)}`],
  [
    6,
    (random) =>
      `${random.pick(random.pick(TRADES).keywords)} ${random.pick(random.pick(TRADES).nouns)}`,
  ],
  [10, (random) => threeWords(random)],
  [
    12,
    (random) =>
      withSlip(random, `${random.pick(MODIFIERS)} ${random.pick(random.pick(TRADES).nouns)}`),
  ],
  [8, (random) => `${random.pick(MODIFIERS)}${random.pick(random.pick(TRADES).nouns)}.com`],
  [
    9,
    (random) =>
      `a website for ${random.pick(random.pick(TRADES).uses)} that is ${random.pick(MODIFIERS)}`,
  ],
  [3, (random) => random.pick(FOREIGN)],
  [2, (random) => random.pick(NONSENSE)],
  [3, (random) => `${random.pick(COMMON)} ${random.pick(COMMON)}`],
];

/** The same `count` queries at every run, nearly all different. */
export function searchQueries(count: number): string[] {
  const random = createRandom(SEED);
  const makers = KINDS.flatMap(([share, make]) => Array<typeof make>(share).fill(make));
  return Array.from({ length: count }, () => random.pick(makers)(random));
}

function threeWords(random: Random): string {
  const trade = random.pick(TRADES);
  return `${random.pick(MODIFIERS)} ${random.pick(trade.nouns)} ${random.pick(trade.keywords)}`;
}

/** What people know of the language. */
function knownWords(): string[] {
  const { wordAt } = wordList();
  return Array.from({ length: 24_960 }, (_, at) => wordAt(40 + at));
}

/** One letter left out, doubled, or exchanged with the next. */
function withSlip(random: Random, text: string): string {
  const at = Math.floor(random.between(1, text.length - 2));
  const [before, letter, next, after] = [
    text.slice(0, at),
    text[at],
    text[at + 1],
    text.slice(at + 2),
  ];
  const kind = random.next();
  if (kind < 0.4) return `${before}${next}${after}`;
  if (kind < 0.7) return `${before}${letter}${letter}${next}${after}`;
  return `${before}${next}${letter}${after}`;
}
