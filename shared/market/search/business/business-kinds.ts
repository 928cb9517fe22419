import { readFileSync } from 'node:fs';
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
  /** How few kinds a term speaks for, 0 to 1. */
  rarityOf(term: string): number;
  /** The terms that names of such businesses are made of, the most telling first, and how much each says. */
  termsOf(kind: number): ReadonlyMap<string, number>;
  /** Every single word of what they are called and what belongs to them. */
  words: ReadonlySet<string>;
}

/** How plainly a term speaks for a kind by where it stands in its line. */
const SPEAKS = { names: 1, things: 0.75, needs: 0.55 } as const;
/** What one word of a term of several words is worth beside all of them. */
const PART = 0.7;
/** How much a word of a name says of the business: what it is called, or what belongs to it. */
const MAKES_NAMES = { names: 0.95, things: 0.75 } as const;

/** How much harder it is to share a term with kinds that it speaks for plainly than with those it touches on. */
const SHARING = 4;

const NONE: readonly Evidence[] = [];

let loaded: BusinessKinds | undefined;

/** The kinds of `kinds.txt`, read once, when first needed. */
export function businessKinds(): BusinessKinds {
  loaded ??= parseBusinessKinds(readFileSync(new URL('./kinds.txt', import.meta.url), 'utf8'));
  return loaded;
}

/** Reads the format that the head of `kinds.txt` describes. @throws Error naming the line that is wrong */
export function parseBusinessKinds(text: string): BusinessKinds {
  const names: string[] = [];
  const evidence = new Map<string, Evidence[]>();
  const made: Map<string, number>[] = [];
  const words = new Set<string>();
  const kindsOfNeeds: number[] = [];
  const needsWith = new Map<string, number[]>();
  const stemOf = memoize(tellingStem);
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const fields = line.split(' | ').map((field) => field.split(',').map((term) => wordsOf(term)));
    const [[called] = [], others, things, said] = fields;
    const isWhole = fields.length === 4 && fields.every(([first]) => first && first.length > 0);
    if (!isWhole || !called || !others || !things || !said) {
      throw new Error(`kinds line ${at + 1}: not "name | other names | things | needs"`);
    }
    const kind = names.length;
    names.push(called.join(' '));
    const speaks = new Map<string, number>();
    const makes = new Map<string, number>();
    const raise = (terms: Map<string, number>, term: string, worth: number) => {
      if (worth > (terms.get(term) ?? 0)) terms.set(term, worth);
    };
    for (const [field, phrases] of [
      ['names', [called, ...others]],
      ['things', things],
    ] as const) {
      for (const phrase of phrases) {
        for (const word of phrase) words.add(word);
        for (const { term, share } of termsIn(phrase, stemOf)) {
          raise(speaks, term, SPEAKS[field] * share);
          raise(makes, term, MAKES_NAMES[field] * share);
        }
      }
    }
    for (const phrase of said) {
      const stems = new Set(phrase.map(stemOf).filter((stemmed) => stemmed !== null));
      for (const stemmed of stems) {
        raise(speaks, stemmed, SPEAKS.needs);
        const known = needsWith.get(stemmed);
        if (known) known.push(kindsOfNeeds.length);
        else needsWith.set(stemmed, [kindsOfNeeds.length]);
      }
      kindsOfNeeds.push(kind);
    }
    for (const [term, worth] of speaks) {
      const known = evidence.get(term);
      if (known) known.push({ kind, worth });
      else evidence.set(term, [{ kind, worth }]);
    }
    made.push(makes);
  }
  const all = Math.log(1 + names.length);
  const rarityOf = (term: string) => {
    const spoken = (evidence.get(term) ?? []).reduce((sum, { worth }) => sum + worth, 0);
    return spoken === 0 ? 0 : 1 - Math.log(1 + Math.max(0, spoken - 1)) / all;
  };
  const ranked: (ReadonlyMap<string, number> | undefined)[] = [];
  return {
    size: names.length,
    nameOf: (kind) => names[kind] ?? '',
    evidenceOf: (term) => evidence.get(term) ?? NONE,
    evidence: () => evidence,
    needsWith: (stemmed) => needsWith.get(stemmed) ?? [],
    kindOfNeed: (need) => kindsOfNeeds[need] ?? 0,
    rarityOf,
    termsOf(kind) {
      ranked[kind] ??= new Map(
        [...(made[kind] ?? [])]
          .map(([term, worth]) => [term, worth * shareOf(evidence.get(term) ?? NONE)] as const)
          .sort((a, b) => b[1] - a[1]),
      );
      return ranked[kind] as ReadonlyMap<string, number>;
    },
    words,
  };
}

/** What is left of a term's worth by how many kinds share it. */
function shareOf(kinds: readonly Evidence[]): number {
  const most = kinds.reduce((best, { worth }) => Math.max(best, worth), 0);
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
