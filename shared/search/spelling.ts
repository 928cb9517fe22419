import { LRUCache } from 'lru-cache';
import { thesaurus } from './thesaurus.ts';
import { wordList } from './word-list.ts';

/** A word that was probably meant, and how sure that is, 0 to 1. */
export interface Repair {
  word: string;
  likeness: number;
}

/** Rarer words are not what a slip of the finger was about. */
const COMMONEST = 45_000;
const SHORTEST = 4;
/** Shorter words have too many neighbours: `uber` is no `user`. */
const SHORTEST_REPAIRED = 5;
/** From here on two slips are believed. */
const LONG = 8;
const MOST_REPAIRS = 3;
/** What slips cost, against how common a word is (the logarithm of its rank). */
const COST = { slip: 6, sound: 3, firstLetter: 2, tradeWord: -1.5 } as const;
const LIKENESS = { sounds: 0.9, oneSlip: 0.9, twoSlips: 0.8 } as const;

interface Vocabulary {
  /** Words by length, each with the set of its letters as bits. */
  byLength: readonly (readonly { word: string; letters: number }[])[];
  bySound: ReadonlyMap<string, readonly string[]>;
}

let loaded: Vocabulary | undefined;
const remembered = new LRUCache<string, readonly Repair[]>({ max: 5_000 });

/**
 * The words that an unknown one is probably a misspelling of, likeliest first: one slip (two in a long word),
 * or the same sound. None for short words and for what resembles nothing.
 */
export function repairsOf(word: string): readonly Repair[] {
  if (word.length < SHORTEST_REPAIRED || !/^[a-z]+$/.test(word)) return [];
  let repairs = remembered.get(word);
  if (!repairs) {
    repairs = findRepairs(word);
    remembered.set(word, repairs);
  }
  return repairs;
}

function findRepairs(word: string): Repair[] {
  loaded ??= load();
  const { rankOf } = wordList();
  const trades = thesaurus().words;
  const rareness = (other: string) =>
    Math.log(rankOf(other) ?? COMMONEST) +
    (trades.has(other) ? COST.tradeWord : 0) +
    (other[0] === word[0] ? 0 : COST.firstLetter);
  const allowed = word.length >= LONG ? 2 : 1;
  const letters = lettersOf(word);
  const found = new Map<string, { likeness: number; cost: number }>();
  for (const sounding of loaded.bySound.get(soundOf(word)) ?? []) {
    found.set(sounding, { likeness: LIKENESS.sounds, cost: COST.sound + rareness(sounding) });
  }
  for (let length = word.length - allowed; length <= word.length + allowed; length += 1) {
    for (const other of loaded.byLength[length] ?? []) {
      // A slip changes at most two letters of the set.
      if (bitsOf(other.letters ^ letters) > 2 * allowed) continue;
      const slips = slipsBetween(word, other.word, allowed);
      if (slips > allowed || (slips > 1 && other.word[0] !== word[0])) continue;
      const cost = COST.slip * slips + rareness(other.word);
      if (cost >= (found.get(other.word)?.cost ?? Number.POSITIVE_INFINITY)) continue;
      found.set(other.word, {
        likeness: slips === 1 ? LIKENESS.oneSlip : LIKENESS.twoSlips,
        cost,
      });
    }
  }
  return [...found]
    .sort(([, a], [, b]) => a.cost - b.cost)
    .slice(0, MOST_REPAIRS)
    .map(([found, { likeness }]) => ({ word: found, likeness }));
}

function load(): Vocabulary {
  const { words, rankOf } = wordList();
  const trades = thesaurus().words;
  const byLength: { word: string; letters: number }[][] = [];
  const bySound = new Map<string, string[]>();
  for (const word of words) {
    const rank = rankOf(word) ?? COMMONEST;
    if (word.length < SHORTEST || (rank >= COMMONEST && !trades.has(word))) continue;
    byLength[word.length] ??= [];
    byLength[word.length]?.push({ word, letters: lettersOf(word) });
    const sound = soundOf(word);
    const alike = bySound.get(sound);
    if (alike) alike.push(word);
    else bySound.set(sound, [word]);
  }
  return { byLength, bySound };
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

function bitsOf(set: number): number {
  let bits = 0;
  for (let left = set; left !== 0; left &= left - 1) bits += 1;
  return bits;
}

/**
 * Slips that lead from one word to the other: a letter too many, too few, a wrong one, or two in the wrong order
 * (optimal string alignment). Anything above `most` is told as `most + 1`.
 */
export function slipsBetween(a: string, b: string, most: number): number {
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
