import { createSentenceEncoder } from '../../shared/market/search/embeddings/sentence-encoder.ts';
import { cosine, unitLength } from '../../shared/market/search/embeddings/vector.ts';
import { readBusinessTerms } from './business-terms.mjs';
import { rarenessOf, usefulEnglish } from './english.mjs';
import { npmText } from './sources.mjs';

const MOST_KEYWORDS = 6;
/** What a keyword gains for being a business term, and for being close to the emoji's other keywords in meaning. */
const GAINS = { business: 1, central: 2 };
/** Words for how a picture looks, not for what it shows. */
const LOOKS = new Set(
  `animal background beverage button circle close dark day down emoji eye face facing figure front generic hand hands heavy high hot large
   left light lower man medium men mouth nature object open outlined people person raised red right round shape side
   sign skin slice small square symbol text thing three tone two up upper vehicle white woman women with yellow of and
   in on the head getting playing transportation food drink human body sport sports nosed over off reversed hungry`.split(
    /\s+/,
  ),
);
const WORTH = { name: 3, phrase: 1.5, firstPart: 2, part: 1, keyword: 1 };
const WEIGHT = { shared: 0.4, common: 0.1 };
const SAME_BEGINNING = 5;

/** Returns emoji and their best keywords: `[emoji, [keyword, ...]]`, without skin tones or variation selectors. */
export async function readEmoji() {
  const file = 'annotations/en/annotations.json';
  const cldr = JSON.parse(npmText('cldr-annotations-full', file)).annotations.annotations;
  const lib = new Map();
  const parsed = JSON.parse(npmText('emojilib', 'dist/emoji-en-US.json'));
  for (const [emoji, words] of Object.entries(parsed)) lib.set(plainEmoji(emoji), words);
  const found = new Map();
  for (const [written, { tts = [], default: keywords = [] }] of Object.entries(cldr)) {
    const emoji = plainEmoji(written);
    if (!/\p{Extended_Pictographic}/u.test(emoji) || /[\u{1F1E6}-\u{1F1FF}]/u.test(emoji)) continue;
    const scores = new Map();
    const add = (text, worth) => {
      const word = usefulEnglish(text.replace(/_/g, ' '));
      if (word === undefined || word.split(' ').every((each) => LOOKS.has(each))) return;
      const bare = word
        .split(' ')
        .filter((each) => !LOOKS.has(each))
        .join(' ');
      scores.set(bare, (scores.get(bare) ?? 0) + worth);
    };
    const [name = ''] = tts;
    const told = name.split(/[ :,]+/).filter((word) => !LOOKS.has(word));
    add(told.join(' '), told.length === 1 ? WORTH.name : WORTH.phrase);
    if (told.length > 1) {
      for (const [at, word] of told.entries()) add(word, at === 0 ? WORTH.firstPart : WORTH.part);
    }
    for (const word of keywords) add(word, WORTH.keyword);
    for (const word of (lib.get(emoji) ?? []).slice(1)) add(word, WORTH.keyword);
    if (scores.size > 0) found.set(emoji, scores);
  }
  const uses = new Map();
  for (const scores of found.values()) {
    for (const word of scores.keys()) uses.set(word, (uses.get(word) ?? 0) + 1);
  }
  // A keyword that few emoji share says more: coffee for the hot drink, since tea has other emoji.
  // Common words come first: coffee before caffeine.
  const worth = ([word, score]) =>
    score - WEIGHT.shared * Math.log(uses.get(word)) - WEIGHT.common * Math.log(rarenessOf(word));
  const business = new Set(readBusinessTerms().flat());
  const words = [...uses.keys()];
  const encoder = createSentenceEncoder({ idleMs: Number.POSITIVE_INFINITY });
  const encoded = await encoder.embed(words);
  await encoder.close();
  const vectorOf = new Map(words.map((word, at) => [word, encoded[at]]));
  return [...found].map(([emoji, scores]) => {
    const middle = middleOf([...scores].map(([word, score]) => [vectorOf.get(word), score]));
    const gain = (word) => {
      const about = word.split(' ').some((each) => business.has(each));
      return GAINS.central * cosine(vectorOf.get(word), middle) + (about ? GAINS.business : 0);
    };
    const ranked = [...scores].map(([word, score]) => [word, worth([word, score]) + gain(word)]);
    const best = ranked.sort(([, a], [, b]) => b - a).map(([word]) => word);
    return [emoji, best.filter(isFirstOfForms).slice(0, MOST_KEYWORDS)];
  });
}

/** Returns the weighted mean direction of vectors. */
function middleOf(weighted) {
  const sum = new Float64Array(weighted[0][0].length);
  for (const [vector, weight] of weighted) {
    for (const [at, value] of vector.entries()) sum[at] += weight * value;
  }
  return unitLength(sum);
}

/** Keeps only the first of related words such as `engaged` and `engagement`. */
function isFirstOfForms(word, at, words) {
  const beginning = word.slice(0, SAME_BEGINNING);
  return words.findIndex((other) => other.startsWith(beginning)) === at;
}

const plainEmoji = (text) => text.replace(/[\ufe0e\ufe0f\u{1F3FB}-\u{1F3FF}]/gu, '');
