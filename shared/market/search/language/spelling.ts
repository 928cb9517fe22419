import { memoize } from '../memoize.ts';
import { isTradeWord, wordList } from './word-list.ts';
import { hashOf } from './word-table.ts';

/** A word that was probably meant, and how sure that is, 0 to 1. */
export interface SpellingCorrection {
  word: string;
  likeness: number;
}

/** Rarer words are not what a slip of the finger was about. */
const COMMONEST = 45_000;
const SHORTEST = 4;
/** Shorter words have too many neighbours: `uber` is no `user`. */
const SHORTEST_REPAIRED = 5;
/** Longer ones are no words. */
const LONGEST_REPAIRED = 20;
/** From here on two slips are believed. */
const LONG = 8;
const MOST_REPAIRS = 3;
/** What slips cost, against how common a word is (the logarithm of its rank). */
export const SPELLING_COST = { slip: 6, sound: 3, firstLetter: 2, tradeWord: -1.5 } as const;
const LIKENESS = { sounds: 0.9, oneSlip: 0.9, twoSlips: 0.8 } as const;

/** Words are indexes of the word list here: tens of thousands of strings would take many times the memory. */
interface Vocabulary {
  /** Words by length, and beside them the sets of their letters as bits: all are looked through for a slip. */
  byLength: readonly { words: Uint32Array; letters: Int32Array }[];
  /** The hash of a word's sound, times INDEXES, plus the word; in order. */
  bySound: Float64Array;
}

/** More than there are words. */
const INDEXES = 2 ** 20;

let loaded: Vocabulary | undefined;
const remembered = memoize(findRepairs, 5_000);

/**
 * The words that an unknown one is probably a misspelling of, likeliest first: one slip (two in a long word),
 * or the same sound. None for short words and for what resembles nothing.
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
      // A slip changes at most two letters of the set.
      const changed = bitsOf((letters[at] ?? 0) ^ own);
      if (changed > 2 * allowed) continue;
      const other = wordAt(words[at] ?? 0);
      // Who slips twice has begun the word right.
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
    .sort(([, a], [, b]) => a.cost - b.cost)
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

/** A rough sound: what English spells in more than one way is spelled in one. */
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

/** How many bits are set, of 26. */
function bitsOf(set: number): number {
  const pairs = set - ((set >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/**
 * Slips that lead from one word to the other: a letter too many, too few, a wrong one, or two in the wrong order
 * (optimal string alignment). Anything above `most` is told as `most + 1`.
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
