import { readFileSync } from 'node:fs';
import { isAdjectiveStem, isPlace } from '../language/lexicon.ts';
import { stem } from '../language/stem.ts';
import { roleOf, STOP_WORDS, wordsOf } from '../language/text-analysis.ts';
import { memoize } from '../memoize.ts';

/** A kind of business that a term speaks for, and how plainly, 0 to 1. */
export interface Evidence {
  kind: number;
  worth: number;
}

/** What is known of kinds of business: what they are called, what belongs to them, what people say who need them. */
export interface BusinessKinds {
  size: number;
  nameOf(kind: number): string;
  /** The kinds that a term speaks for in what people say: a stem, or two with an underscore between them. */
  evidenceOf(term: string): readonly Evidence[];
  /** What people say who need a business, by number: all in which a stem stands. */
  needsWith(stem: string): readonly number[];
  /** The kind that one of those needs. */
  kindOfNeed(need: number): number;
  /** All terms that speak for some kind, each with those. */
  evidence(): Iterable<readonly [term: string, kinds: readonly Evidence[]]>;
  /** How plainly a term speaks for the kind for which it does most, 0 to 1. */
  tellingOf(term: string): number;
  /** The terms that names of such businesses are made of, the most telling first, and how much each says. */
  termsOf(kind: number): ReadonlyMap<string, number>;
}

/** How plainly a term speaks for a kind by where it stands in its line, and what it counts for each time. */
const SPEAKS = { names: 1, things: 0.75, needs: 0.55 } as const;
const COUNTS = { names: 3, things: 1.5, needs: 1 } as const;
/** What one word of a term of several words is worth beside all of them. */
const PART = 0.7;
/** How much a word of a name says of the business: what it is called, or what belongs to it. */
const MAKES_NAMES = { names: 0.95, things: 0.75 } as const;

/** How much harder it is to share a term with kinds that are called so than with those to which it belongs. */
const SHARING = 4;

const NONE: readonly Evidence[] = [];

const readKinds = () => readFileSync(new URL('./kinds.txt', import.meta.url), 'utf8');

let loaded: BusinessKinds | undefined;
let loadedWords: ReadonlySet<string> | undefined;

/** The kinds of `kinds.txt`, read once, when first needed. */
export function businessKinds(): BusinessKinds {
  loaded ??= parseBusinessKinds(readKinds());
  return loaded;
}

/** Every single word of what kinds are called and what belongs to them: quickly there, without the rest. */
export function wordsOfKinds(): ReadonlySet<string> {
  loadedWords ??= readWords();
  return loadedWords;
}

function readWords(): Set<string> {
  const words = new Set<string>();
  for (const { fields } of linesOf(readKinds())) {
    for (const term of fields.slice(0, 3).flat()) {
      for (const word of wordsOf(term)) words.add(word);
    }
  }
  return words;
}

/** The terms of each field of each line that says something, line by line; lines are counted from 1. */
function* linesOf(text: string): Generator<{ number: number; fields: string[][] }> {
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    yield { number: at + 1, fields: line.split(' | ').map((field) => field.split(', ')) };
  }
}

/** Reads the format that the head of `kinds.txt` describes. @throws Error naming the line that is wrong */
export function parseBusinessKinds(text: string): BusinessKinds {
  const names: string[] = [];
  const spoken = new Map<string, Spoken>();
  const made: Map<string, number>[] = [];
  const kindsOfNeeds: number[] = [];
  const needsWith = new Map<string, number[]>();
  const stemOf = memoize(tellingStem);
  for (const { number, fields: terms } of linesOf(text)) {
    const fields = terms.map((field) => field.map(wordsOf));
    const [[called] = [], others, things, said] = fields;
    const isWhole = fields.length === 4 && fields.every(([first]) => first && first.length > 0);
    if (!isWhole || !called || !others || !things || !said) {
      throw new Error(`kinds line ${number}: not "name | other names | things | needs"`);
    }
    const kind = names.length;
    names.push(called.join(' '));
    const makes = new Map<string, number>();
    const speak = (term: string, worth: number, count: number) => {
      const known = spoken.get(term) ?? { kinds: [], worths: [], counts: [] };
      if (known.kinds.length === 0) spoken.set(term, known);
      const last = known.kinds.length - 1;
      if (known.kinds[last] === kind) {
        known.worths[last] = Math.max(worth, known.worths[last] as number);
        known.counts[last] = count + (known.counts[last] as number);
      } else {
        known.kinds.push(kind);
        known.worths.push(worth);
        known.counts.push(count);
      }
    };
    for (const [field, phrases] of [
      ['names', [called, ...others]],
      ['things', things],
    ] as const) {
      for (const phrase of phrases) {
        for (const { term, share } of termsIn(phrase, stemOf)) {
          speak(term, SPEAKS[field] * share, COUNTS[field] * share);
          if (share < 1 && isAdjectiveStem(term)) continue;
          makes.set(term, Math.max(MAKES_NAMES[field] * share, makes.get(term) ?? 0));
        }
      }
    }
    for (const phrase of said) {
      for (const stemmed of new Set(phrase.filter((word) => !isPlace(word)).map(stemOf))) {
        if (stemmed === null) continue;
        speak(stemmed, SPEAKS.needs, COUNTS.needs);
        const known = needsWith.get(stemmed);
        if (known) known.push(kindsOfNeeds.length);
        else needsWith.set(stemmed, [kindsOfNeeds.length]);
      }
      kindsOfNeeds.push(kind);
    }
    made.push(makes);
  }
  const evidence = weighEvidence(spoken, names.length);
  const makers = makersOf(made);
  const ranked: (ReadonlyMap<string, number> | undefined)[] = [];
  return {
    size: names.length,
    nameOf: (kind) => names[kind] ?? '',
    evidenceOf: (term) => evidence.get(term) ?? NONE,
    evidence: () => evidence,
    needsWith: (stemmed) => needsWith.get(stemmed) ?? [],
    kindOfNeed: (need) => kindsOfNeeds[need] ?? 0,
    tellingOf: (term) => mostOf(evidence.get(term) ?? NONE),
    termsOf(kind) {
      ranked[kind] ??= new Map(
        [...(made[kind] ?? [])]
          .map(([term, worth]) => [term, worth * shareOf(makers.get(term) ?? NONE)] as const)
          .sort((a, b) => b[1] - a[1]),
      );
      return ranked[kind] as ReadonlyMap<string, number>;
    },
  };
}

/** The kinds that have a term in their lines, in order; how plainly it speaks at best, and how often, of each. */
interface Spoken {
  kinds: number[];
  worths: number[];
  counts: number[];
}

/**
 * How plainly each term speaks for each kind: by where it stands in its line, and by how much more often it is said of
 * this kind than of all (1 for what nobody says of another).
 */
function weighEvidence(
  spoken: ReadonlyMap<string, Spoken>,
  size: number,
): ReadonlyMap<string, readonly Evidence[]> {
  const ofKind = new Float64Array(size);
  const ofTerm = new Map<string, number>();
  let all = 0;
  for (const [term, { kinds, counts }] of spoken) {
    let sum = 0;
    for (const [at, count] of counts.entries()) {
      const kind = kinds[at] as number;
      ofKind[kind] = (ofKind[kind] as number) + count;
      sum += count;
    }
    ofTerm.set(term, sum);
    all += sum;
  }
  const most = Math.log(1 + size);
  const evidence = new Map<string, readonly Evidence[]>();
  for (const [term, { kinds, worths, counts }] of spoken) {
    const share = (ofTerm.get(term) ?? 0) / all;
    evidence.set(
      term,
      kinds.map((kind, at) => {
        const lift = (counts[at] as number) / (ofKind[kind] as number) / share;
        const often = Math.min(1, Math.log(1 + lift) / most);
        return { kind, worth: ((worths[at] as number) + often) / 2 };
      }),
    );
  }
  return evidence;
}

/** Of each term that names are made of, the kinds whose names. */
function makersOf(made: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, Evidence[]> {
  const makers = new Map<string, Evidence[]>();
  for (const [kind, terms] of made.entries()) {
    for (const [term, worth] of terms) {
      const known = makers.get(term);
      if (known) known.push({ kind, worth });
      else makers.set(term, [{ kind, worth }]);
    }
  }
  return makers;
}

const mostOf = (kinds: readonly Evidence[]): number =>
  kinds.reduce((most, { worth }) => Math.max(most, worth), 0);

/** What is left of a term's worth by how many kinds make names of it. */
function shareOf(kinds: readonly Evidence[]): number {
  const most = mostOf(kinds);
  const spoken = kinds.reduce((sum, { worth }) => sum + (worth / most) ** SHARING, 0);
  return 1 / spoken ** (1 / SHARING);
}

/** The stems of a phrase, each pair of neighbors, and the share of the phrase that each is. */
function termsIn(
  phrase: readonly string[],
  stemOf: (word: string) => string | null,
): { term: string; share: number }[] {
  const stems = phrase.map(stemOf).filter((stemmed) => stemmed !== null);
  const [only] = stems;
  if (only === undefined) return [];
  if (stems.length === 1) return [{ term: only, share: 1 }];
  return [
    ...stems.slice(1).map((stemmed, at) => ({ term: `${stems[at]}_${stemmed}`, share: 1 })),
    ...stems.map((term) => ({ term, share: PART })),
  ];
}

/** The stem of a word that says something, else null. */
function tellingStem(word: string): string | null {
  return STOP_WORDS.has(word) || roleOf(word) === 'generic' ? null : stem(word);
}
