import { memoize } from '../memoize.ts';
import { isTradeWord, wordList } from './word-list.ts';
import { hashOf } from './word-table.ts';

/** A probable correction, and its likelihood, 0 to 1. */
export interface SpellingCorrection {
  word: string;
  likeness: number;
}

/** Words of this rank or rarer are not suggested as corrections. */
const COMMONEST = 45_000;
const SHORTEST = 4;
/** Shorter words have too many neighbors: `uber` is not `user`. */
const SHORTEST_REPAIRED = 5;
/** Longer texts are not words. */
const LONGEST_REPAIRED = 20;
/** Two typos are allowed in words of at least this length. */
const LONG = 8;
const MOST_REPAIRS = 3;
/** The costs of typos, on the scale of a word's rareness (the logarithm of its rank). */
export const SPELLING_COST = { slip: 6, sound: 3, firstLetter: 2, tradeWord: -1.5 } as const;
const LIKENESS = { sounds: 0.9, oneSlip: 0.9, twoSlips: 0.8 } as const;

/** Words are stored as indexes into the word list: tens of thousands of strings would take many times the memory. */
interface Vocabulary {
  /** Words by length with their letters as bit sets: all of one length are scanned for typos. */
  byLength: readonly { words: Uint32Array; letters: Int32Array }[];
  /** The hash of a word's sound times INDEXES, plus the word's index; sorted. */
  bySound: Float64Array;
}

/** More than the number of words. */
const INDEXES = 2 ** 20;

let loaded: Vocabulary | undefined;
const remembered = memoize(findRepairs, 5_000);

/**
 * Returns probable corrections of an unknown word, likeliest first: one typo (two in a long word) or the same sound. Of
 * equally likely ones the longest comes first, since people leave letters out more often than they add them. None for
 * short words or without a similar word.
 */
export function spellingCorrections(word: string): readonly SpellingCorrection[] {
  if (word.length < SHORTEST_REPAIRED || word.length > LONGEST_REPAIRED) return [];
  if (!/^[a-z]+$/.test(word)) return [];
  return remembered(word);
}

function findRepairs(word: string): SpellingCorrection[] {
  loaded ??= load();
  const { rankOf, wordAt } = wordList();
  const rareness = (other: string) =>
    Math.log(rankOf(other) ?? COMMONEST) +
    (isTradeWord(other) ? SPELLING_COST.tradeWord : 0) +
    (other[0] === word[0] ? 0 : SPELLING_COST.firstLetter);
  const allowed = word.length >= LONG ? 2 : 1;
  const own = lettersOf(word);
  const found = new Map<string, { likeness: number; cost: number }>();
  for (const sounding of soundingLike(loaded, soundOf(word))) {
    found.set(sounding, {
      likeness: LIKENESS.sounds,
      cost: SPELLING_COST.sound + rareness(sounding),
    });
  }
  for (let length = word.length - allowed; length <= word.length + allowed; length += 1) {
    const { words, letters } = loaded.byLength[length] ?? NO_WORDS;
    for (let at = 0; at < words.length; at += 1) {
      // A typo changes at most two letters of the set.
      const changed = bitsOf((letters[at] ?? 0) ^ own);
      if (changed > 2 * allowed) continue;
      const other = wordAt(words[at] ?? 0);
      // A word with two typos usually has a correct first letter.
      const most = other[0] === word[0] ? allowed : 1;
      if (changed > 2 * most) continue;
      const slips = editDistance(word, other, most);
      if (slips > most) continue;
      const cost = SPELLING_COST.slip * slips + rareness(other);
      if (cost >= (found.get(other)?.cost ?? Number.POSITIVE_INFINITY)) continue;
      found.set(other, { likeness: slips === 1 ? LIKENESS.oneSlip : LIKENESS.twoSlips, cost });
    }
  }
  return [...found]
    .sort(([a, { cost }], [b, other]) => cost - other.cost || b.length - a.length)
    .slice(0, MOST_REPAIRS)
    .map(([found, { likeness }]) => ({ word: found, likeness }));
}

const NO_WORDS = { words: new Uint32Array(), letters: new Int32Array() };

function soundingLike({ bySound }: Vocabulary, sound: string): string[] {
  const { wordAt } = wordList();
  const first = hashOf(sound) * INDEXES;
  let [low, high] = [0, bySound.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bySound[middle] ?? 0) < first) low = middle + 1;
    else high = middle;
  }
  const words: string[] = [];
  for (let at = low; at < bySound.length; at += 1) {
    const index = (bySound[at] ?? 0) - first;
    if (index >= INDEXES) break;
    const word = wordAt(index);
    if (soundOf(word) === sound) words.push(word);
  }
  return words;
}

function load(): Vocabulary {
  const { size, wordAt, rankAt } = wordList();
  const byLength: number[][] = [];
  const sounds: number[] = [];
  for (let index = 0; index < size; index += 1) {
    const word = wordAt(index);
    if (word.length < SHORTEST || (rankAt(index) >= COMMONEST && !isTradeWord(word))) continue;
    byLength[word.length] ??= [];
    byLength[word.length]?.push(index);
    sounds.push(hashOf(soundOf(word)) * INDEXES + index);
  }
  return {
    byLength: Array.from(byLength, (words = []) => ({
      words: Uint32Array.from(words),
      letters: Int32Array.from(words, (index) => lettersOf(wordAt(index))),
    })),
    bySound: Float64Array.from(sounds).sort(),
  };
}

/** Returns a rough phonetic form: alternative English spellings of a sound become one. */
function soundOf(word: string): string {
  return word
    .replace(/ph/g, 'f')
    .replace(/c(?=[eiy])/g, 's')
    .replace(/ck|c|qu?/g, 'k')
    .replace(/x/g, 'ks')
    .replace(/z/g, 's')
    .replace(/ai|ay/g, 'a')
    .replace(/aw|au/g, 'o')
    .replace(/ou|oo|ew/g, 'u')
    .replace(/ee|ea|ie|ei|y/g, 'i')
    .replace(/(.)\1+/g, '$1')
    .replace(/e$/, '');
}

function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) - 97);
  return bits;
}

/** Counts the set bits of a 26-bit set. */
function bitsOf(set: number): number {
  const pairs = set - ((set >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/**
 * Counts the typos between two words: an extra, missing or wrong letter, or two swapped ones (optimal string
 * alignment). Returns `most + 1` for anything above `most`.
 */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let slips = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        slips = Math.min(slips, (beforeLast[j - 2] ?? 0) + 1);
      }
      row[j] = slips;
      least = Math.min(least, slips);
    }
    if (least > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return Math.min(last[b.length] ?? 0, most + 1);
}
