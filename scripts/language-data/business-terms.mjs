import { npmText } from './sources.mjs';

/** Kinds of places that are businesses or what one is about. Nobody names a site after the others, such as a bench. */
const TRADES = /^(amenity|club|craft|healthcare|leisure|office|shop|sport|tourism)\//;
const NO_TRADES = /^amenity\/(vending_machine|fast_food|parking|recycling|waste|bench|fuel)/;
/** Words that only say that a place is there to buy or do something. */
const GENERIC = new Set(
  `and area bar building center centre company dealer dealership facility for goods house machine market office of park
   place products public rental repair room school service services shop site sports stand station store supplies
   supply the trade workshop`.split(/\s+/),
);
const WEIGHT = 0.3;

/**
 * Returns pairs of words that belong together, from OpenStreetMap's kinds of business: `[word, other, weight]`, such as
 * florist and bouquet. The more terms a kind has, the less each weighs.
 */
export function readBusinessTerms() {
  const file = 'dist/translations/en.json';
  const { presets } = JSON.parse(npmText('@openstreetmap/id-tagging-schema', file)).en.presets;
  const pairs = [];
  for (const [kind, { name = '', aliases = '', terms = '' }] of Object.entries(presets)) {
    if (!TRADES.test(kind) || NO_TRADES.test(kind)) continue;
    const phrases = [aliases, terms].flatMap((text) => text.split(/[,\n]/)).map(wordsOf);
    const told = phrases.filter((words) => words.length > 0);
    for (const word of wordsOf(name)) {
      for (const phrase of told) {
        const weight = WEIGHT / phrase.length / Math.sqrt(Math.max(1, told.length / 3));
        for (const other of phrase) {
          if (other !== word) pairs.push([word, other, weight], [other, word, weight]);
        }
      }
    }
  }
  return pairs;
}

function wordsOf(text) {
  return text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !GENERIC.has(word));
}
