import { createHash } from 'node:crypto';
import { joinTokens, type NameForm, type NameToken, skeletonOf } from './name-form.ts';

// The keys by which Postgres finds the names that a name may be alike to, as lexemes of a `tsvector`:
// `MHMT` is a word by its consonants, also of two words together; `~MMT` such a word without one of its consonants;
// `=MHMTLTF` a whole name, `=~` the same without a consonant; `@` a name as it stands in its script.

/** Shorter keys are not taken for misspelled: too many words are alike. */
const SHORTEST_MISSPELLED = 4;

/** The keys of a name of a list. */
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
 * The `tsquery`s that find names which may be alike: two of their words agree, of which one may be misspelled, or their
 * whole. Each is an AND, for which an index reads little; of their OR it would read all that has any of the keys.
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
/** Keys are letters, digits and the signs above. */
const quoted = (key: string) => `'${key}'`;

/** Initials say too little to look for. */
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

/** The key without each of its signs. */
function shortened(key: string): string[] {
  if (key.length < SHORTEST_MISSPELLED) return [];
  return Array.from(key, (_sign, at) => key.slice(0, at) + key.slice(at + 1));
}

/** The keys of words that differ in one consonant, by one more or less or by another one. */
function misspelled(key: string): string[] {
  return [key, `~${key}`, ...shortened(key).flatMap((shorter) => [shorter, `~${shorter}`])];
}
