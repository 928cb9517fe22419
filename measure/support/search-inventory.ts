import {
  ENDINGS,
  MODIFIERS,
  SYLLABLES,
  TRADES,
  type Trade,
} from '../../db/seeds/business-vocabulary.ts';
import { createRandom, type Random } from '../../db/seeds/random.ts';
import { wordList } from '../../shared/market/search/language/word-list.ts';

const SEED = 4_500;
const AFFIXES = ['ify', 'ly', 'hub', 'hq', 'app', 'pro', 'now', 'go'];
const TLDS = [
  ...Array<string>(10).fill('com'),
  ...['net', 'org', 'io', 'co', 'ai', 'app', 'shop', 'de', 'co.uk', 'dev', 'store', 'xyz', 'club'],
];
/** Words of names, the commonest first; how often one is taken falls with its place (Zipf). */
const WORDS = 25_000;

/**
 * `count` made-up listings as lines of NDJSON, the same at every run: names of trades, of words of the language as
 * common as they are there, and made-up ones; half with keywords, half with a description.
 */
export function* inventoryLines(count: number): Generator<string> {
  const random = createRandom(SEED);
  const { size, wordAt } = wordList();
  const words = Array.from({ length: size }, (_, at) => wordAt(at))
    .filter((word) => word.length > 2 && word.length < 10)
    .slice(40, WORDS);
  const taken = new Set<string>();
  while (taken.size < count) {
    const trade = random.pick(TRADES);
    const domain = `${makeLabel(random, trade, words)}.${random.pick(TLDS)}`;
    if (taken.has(domain)) continue;
    taken.add(domain);
    yield `${JSON.stringify({
      domain,
      price_cents: Math.round(Math.exp(random.between(9, 15))),
      category: random.chance(0.6) ? trade.category : null,
      keywords: random.chance(0.55) ? keywordsOf(random, trade, words) : [],
      description: random.chance(0.45)
        ? `A ${random.pick(MODIFIERS)} name for ${random.pick(trade.uses)}.`
        : null,
    })}\n`;
  }
}

/** A word of the language, as often as such words are used. */
export function commonWord(random: Random, words: readonly string[]): string {
  return words[Math.floor(words.length ** random.next()) - 1] ?? 'home';
}

function makeLabel(random: Random, trade: Trade, words: readonly string[]): string {
  const word = () => commonWord(random, words);
  const noun = () => random.pick(trade.nouns);
  const kind = random.next();
  if (kind < 0.12) return random.pick(MODIFIERS) + noun();
  if (kind < 0.2) return noun() + random.pick(ENDINGS);
  if (kind < 0.4) return word() + noun();
  if (kind < 0.65) return word() + word();
  if (kind < 0.77) return word() + noun() + random.pick(ENDINGS);
  if (kind < 0.83) return `${word()}-${noun()}`;
  if (kind < 0.88) return word() + random.pick(AFFIXES);
  if (kind < 0.9) return `${noun()}${Math.floor(random.between(1, 1_000))}`;
  return Array.from({ length: random.chance(0.5) ? 3 : 4 }, () => random.pick(SYLLABLES)).join('');
}

function keywordsOf(random: Random, trade: Trade, words: readonly string[]): string[] {
  return [random.pick(trade.keywords), random.pick(trade.keywords), commonWord(random, words)];
}
