import { LRUCache } from 'lru-cache';
import { joinTokens, type NameForm, type NameToken } from './name-form.ts';

/** The similarity from which two words count as the same word. */
const SAME_WORD = 0.82;
/** Above this similarity, no further combinations are tried. */
const SURE = 0.95;
/** The costs of words that only one name has, such as a patronymic, and of words that differ on both sides. */
const LEFT_OUT = { person: 0.2, entity: 0.35 };
const DIFFERENT = 0.35;
/** The cost of a match of only one word, which may be by chance. */
const ONE_WORD = 0.03;
/** The similarity of an initial and its word. */
const INITIAL = 0.85;
/** The factor for words that are compared by consonants only. */
const CONSONANTS_ALONE = 0.97;

/**
 * Returns the similarity of two names, from 0 to 1. The same words in any order and spelling give 1. At least two words
 * must agree, or the only word if both names have one.
 */
export function similarityOf(one: NameForm, other: NameForm): number {
  if (one.folded !== '' && one.folded === other.folded) return 1;
  if (one.tokens.length === 0 || other.tokens.length === 0) return 0;
  return compareJoining(one.tokens, other.tokens, {
    joins: 2,
    leftOut: LEFT_OUT[one.kind],
  });
}

/** Compares two names, also with adjacent words joined, up to `joins` times. */
function compareJoining(
  one: readonly NameToken[],
  other: readonly NameToken[],
  { joins, leftOut }: { joins: number; leftOut: number },
): number {
  let best = compare(one, other, leftOut);
  if (joins === 0 || best > SURE || one.length === other.length) return best;
  const [longer, shorter] = one.length > other.length ? [one, other] : [other, one];
  for (let at = 0; at + 1 < longer.length; at += 1) {
    const [first, second] = longer.slice(at, at + 2);
    if (!first || !second) continue;
    const joined = joinTokens(first, second);
    // Join only if the other name has a similar word.
    if (!shorter.some((token) => similarityOfWords(token, joined) >= SAME_WORD)) continue;
    best = Math.max(
      best,
      compareJoining(longer.toSpliced(at, 2, joined), shorter, { joins: joins - 1, leftOut }),
    );
  }
  return best;
}

function compare(one: readonly NameToken[], other: readonly NameToken[], leftOut: number): number {
  const pairs = one
    .flatMap((a) => other.map((b) => ({ a, b, alike: similarityOfWords(a, b) })))
    .filter(({ alike }) => alike >= SAME_WORD)
    .sort((x, y) => y.alike - x.alike);
  const taken = new Set<NameToken>();
  let alikeness = 0;
  let weight = 0;
  let matched = 0;
  for (const { a, b, alike } of pairs) {
    if (taken.has(a) || taken.has(b)) continue;
    taken.add(a).add(b);
    const counts = Math.min(weightOf(a), weightOf(b));
    alikeness += counts * alike;
    weight += counts;
    matched += 1;
  }
  if (matched < Math.min(2, Math.max(one.length, other.length))) return 0;
  const missing = [one, other].map((tokens) => {
    const all = tokens.reduce((sum, token) => sum + weightOf(token), 0);
    const left = tokens
      .filter((token) => !taken.has(token))
      .reduce((sum, token) => sum + weightOf(token) * (isPatronymic(token) ? PATRONYMIC : 1), 0);
    return left / all;
  });
  const more = Math.max(...missing);
  const less = Math.min(...missing);
  const chance = matched === 1 ? ONE_WORD : 0;
  return Math.max(0, alikeness / weight - chance - leftOut * more - DIFFERENT * less);
}

/** The weight of a word. Long words count more than short ones. */
function weightOf({ sounds, text }: NameToken): number {
  if (text.length === 1) return 1;
  return Math.min(8, Math.max(3, sounds.length));
}

/** The factor for a missing patronymic, which Slavic and Central Asian names often leave out. */
const PATRONYMIC = 0.4;

function isPatronymic({ sounds }: NameToken): boolean {
  return /(?:[oei]vi?C|[oe]v(?:ic|na)|ivna|oglu|kizi)$/.test(sounds);
}

/** A cache of word pairs, which recur often: many parties share first names with a list. */
const known = new LRUCache<string, number>({ max: 50_000 });

/** The similarity of two words by sound, from 0 to 1. */
function similarityOfWords(one: NameToken, other: NameToken): number {
  if (one.text === other.text) return 1;
  const pair = `${one.text} ${one.sounds} ${other.text} ${other.sounds}`;
  const alike = known.get(pair) ?? compareWords(one, other);
  known.set(pair, alike);
  return alike;
}

function compareWords(one: NameToken, other: NameToken): number {
  if (one.text.length === 1 || other.text.length === 1) {
    return one.text[0] === other.text[0] ? INITIAL : 0;
  }
  if (one.isAbjad || other.isAbjad) {
    const [a, b] = [consonantsOf(one), consonantsOf(other)];
    const alike = alikenessOf(a, b);
    return CONSONANTS_ALONE * (Math.min(a.length, b.length) < 2 ? alike * alike * 0.95 : alike);
  }
  const alike = alikenessOf(one.sounds, other.sounds);
  if (alike >= 0.97) return alike;
  const [a, b] = [withoutArticle(one.sounds), withoutArticle(other.sounds)];
  return (a === one.sounds) === (b === other.sounds)
    ? alike
    : Math.max(alike, 0.97 * alikenessOf(a, b));
}

/** Removes the Arabic article: Alrashid is Rashid with the article. */
function withoutArticle(sounds: string): string {
  return sounds.replace(/^[ae]l(?=.{4})/, '');
}

function consonantsOf({ sounds }: NameToken): string {
  return sounds
    .replace(/[aeiou]/g, '')
    .replace(/(.)\1+/g, '$1')
    .replace(/(?<=.)h$/, '');
}

/** 1 minus {@link editCost} per letter of the longer word. */
function alikenessOf(one: string, other: string): number {
  const longer = Math.max(one.length, other.length);
  if (longer === 0) return 0;
  return Math.max(0, 1 - editCost(one, other) / longer);
}

const VOWELS = 'aeiou';
/** The cost of confusing two sounds. All other pairs cost `OTHER_VOWEL` or `OTHER_CONSONANT`. */
const CONFUSED = costs({
  0.1: 'Tt Dd wv Qt Qh',
  0.2: 'ei ou kg Gg kG GH hH Sc sS SC SZ zZ jZ jC jS vf',
  0.25: 'ae sz zc cs td bp Ts Dz',
  0.35: 'ao gj ij kH mn Cc ks kC bv hg Gh Hg uv',
});
const OTHER_VOWEL = 0.55;
const OTHER_CONSONANT = 1.3;
const MISSING_VOWEL = 0.4;
/** Also applies to the Arabic w, which may be a vowel. */
const MISSING_H = 0.3;
/** The Arabic ending that is read as a, ah or at (Q). */
const MISSING_ENDING = 0.1;
const MISSING_CONSONANT = 1.1;
const MISSING_START = 0.8;
const SWAPPED = 0.6;

function costs(byCost: Readonly<Record<string, string>>): ReadonlyMap<string, number> {
  const pairs = Object.entries(byCost).flatMap(([cost, list]) =>
    list.split(' ').flatMap((pair): [string, number][] => [
      [pair, Number(cost)],
      [Array.from(pair).reverse().join(''), Number(cost)],
    ]),
  );
  return new Map(pairs);
}

function substitution(a: string, b: string): number {
  if (a === b) return 0;
  const confused = CONFUSED.get(a + b);
  if (confused !== undefined) return confused;
  return VOWELS.includes(a) && VOWELS.includes(b) ? OTHER_VOWEL : OTHER_CONSONANT;
}

function absence(sound: string, at: number): number {
  if (sound === 'Q') return MISSING_ENDING;
  if (at === 0 && VOWELS.includes(sound)) return MISSING_START;
  if (sound === 'h' || sound === 'w') return MISSING_H;
  return VOWELS.includes(sound) ? MISSING_VOWEL : MISSING_CONSONANT;
}

/** The minimum cost to turn one word into the other (Damerau distance, weighted by sound). */
function editCost(one: string, other: string): number {
  let before: number[] = [];
  let above = [0];
  for (const [at, sound] of Array.from(other).entries())
    above.push((above[at] ?? 0) + absence(sound, at));
  for (let i = 0; i < one.length; i += 1) {
    const a = one.charAt(i);
    const row = [(above[0] ?? 0) + absence(a, i)];
    for (let j = 0; j < other.length; j += 1) {
      const b = other.charAt(j);
      let cost = Math.min(
        (above[j] ?? 0) + substitution(a, b),
        (above[j + 1] ?? 0) + absence(a, i),
        (row[j] ?? 0) + absence(b, j),
      );
      if (i > 0 && j > 0 && a === other.charAt(j - 1) && b === one.charAt(i - 1)) {
        cost = Math.min(cost, (before[j - 1] ?? 0) + SWAPPED);
      }
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return above[other.length] ?? 0;
}
