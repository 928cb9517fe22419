import { createHash } from 'node:crypto';
import { joinTokens, type NameForm, type NameToken, skeletonOf } from './name-form.ts';

// The keys with which Postgres finds names that may be similar, as lexemes of a `tsvector`:
// `MHMT` is the consonants of a word or of two joined words; `~MMT` is such a key without one consonant;
// `=MHMTLTF` is a whole name, `=~` a whole name without one consonant; `@` is a name in its own script.

/** Shorter keys are never treated as misspelled, because too many short words are similar. */
const SHORTEST_MISSPELLED = 4;

/** Returns the keys of a name on a list. */
export function keysOf(name: NameForm): string[] {
  const words = wordsOf(name);
  const whole = wholeOf(words);
  const keys = [
    wrote(name),
    `=${whole}`,
    ...(words.length === 1 ? shortened(whole).map((key) => `=~${key}`) : []),
    ...words.flatMap((word) => [word, ...shortened(word).map((key) => `~${key}`)]),
    ...joinsOf(name).map(({ key }) => key),
  ];
  return [...new Set(keys)];
}

/**
 * Returns the `tsquery`s that find names that may be similar: two of their words agree, one of which may be misspelled,
 * or the whole names agree. Each pair of words is an AND, for which an index reads few rows. An OR of all of them would
 * read every row with any of the keys.
 */
export function queriesOf(name: NameForm): string[] {
  const words = wordsOf(name).map((word, at) => ({
    from: at,
    to: at,
    exact: [word],
    loose: misspelled(word),
  }));
  const joins = joinsOf(name).map(({ key, at }) => ({
    from: at,
    to: at + 1,
    exact: [key],
    loose: [key],
  }));
  const units = [...words, ...joins];
  const whole = wholeOf(words.map(({ exact: [word = ''] }) => word));
  const pairs = units.flatMap((one, at) =>
    units
      .slice(at + 1)
      .filter((other) => one.to < other.from || other.to < one.from)
      .flatMap((other) => [both(one.exact, other.loose), both(one.loose, other.exact)]),
  );
  const wholes = [
    whole,
    ...(words.length === 1 ? shortened(whole).flatMap((key) => [key, `~${key}`]) : []),
    `~${whole}`,
  ];
  const whole_ = [quoted(wrote(name)), ...wholes.map((key) => quoted(`=${key}`))].join(' | ');
  return [...new Set([whole_, ...pairs])];
}

const both = (one: readonly string[], other: readonly string[]) =>
  `(${anyOf(one)}) & (${anyOf(other)})`;
const anyOf = (keys: readonly string[]) => [...new Set(keys)].map(quoted).join(' | ');
/** Keys contain only letters, digits and the symbols above. */
const quoted = (key: string) => `'${key}'`;

/** Leaves out initials, which are too short to search for. */
const isWord = ({ text }: NameToken) => text.length > 1;

function wordsOf({ tokens }: NameForm): string[] {
  return tokens.filter(isWord).map(skeletonOf);
}

function joinsOf({ tokens }: NameForm): { key: string; at: number }[] {
  const words = tokens.filter(isWord);
  return words.slice(1).flatMap((second, at) => {
    const first = words[at];
    return first ? [{ key: skeletonOf(joinTokens(first, second)), at }] : [];
  });
}

/** The whole name as one word. */
function wholeOf(words: readonly string[]): string {
  return words.join('').replace(/(.)\1+/g, '$1');
}

function wrote({ folded }: NameForm): string {
  return `@${createHash('sha256').update(folded).digest('base64url').slice(0, 22)}`;
}

/** Returns the variants of a key without one of its characters. */
function shortened(key: string): string[] {
  if (key.length < SHORTEST_MISSPELLED) return [];
  return Array.from(key, (_sign, at) => key.slice(0, at) + key.slice(at + 1));
}

/** Returns the keys of words that differ in one consonant, which may be added, missing or replaced. */
function misspelled(key: string): string[] {
  return [key, `~${key}`, ...shortened(key).flatMap((shorter) => [shorter, `~${shorter}`])];
}
