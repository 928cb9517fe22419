import { type KindsTable, WHOLE_WORTH } from '../../shared/market/search/kinds/kinds-table.ts';
import { isAdjectiveStem, isPlace } from '../../shared/market/search/language/lexicon.ts';
import { stem } from '../../shared/market/search/language/stem.ts';
import { roleOf, STOP_WORDS, wordsOf } from '../../shared/market/search/language/text-analysis.ts';
import { memoize } from '../../shared/market/search/memoize.ts';

/** How plainly a term speaks for a kind by where it stands in its line, and what it counts for each time. */
const SPEAKS = { names: 1, things: 0.75 } as const;
const COUNTS = { names: 3, things: 1.5 } as const;
/** What one word of a term of several words is worth beside all of them. */
const PART = 0.6;
/** How much a word of a name says of the business: what it is called, or what belongs to it. */
const MAKES_NAMES = { names: 0.95, things: 0.64 } as const;

/** How much harder it is to share a term with kinds that are called so than with those to which it belongs. */
const SHARING = 6;

/**
 * Reads the format that the head of `kinds.txt` describes, and weighs it; `vectors` are what the sentence encoder makes of
 * the kinds. @throws Error naming the line that is wrong
 */
export function parseKinds(text: string, vectors: Int8Array): KindsTable {
  const names: string[] = [];
  const words = new Set<string>();
  const spoken = new Map<string, Spoken>();
  const made: Map<string, number>[] = [];
  const stemOf = memoize(tellingStem);
  for (const { number, fields } of linesOf(text)) {
    const [[called] = [], others, things] = fields;
    const isWhole = fields.length === 3 && fields.every(([first]) => first && first.length > 0);
    if (!isWhole || !called || !others || !things) {
      throw new Error(`kinds line ${number}: not "name | other names | things"`);
    }
    const kind = names.length;
    names.push(called.join(' '));
    for (const word of [called, ...others, ...things].flat()) words.add(word);
    const makes = new Map<string, number>();
    for (const [field, phrases] of [
      ['names', [called, ...others]],
      ['things', things],
    ] as const) {
      for (const { term, share } of phrases.flatMap((phrase) => termsIn(phrase, stemOf))) {
        speak(spoken, term, kind, SPEAKS[field] * share, COUNTS[field] * share);
        if (share < 1 && isAdjectiveStem(term)) continue;
        // Tulips come from Amsterdam; names with it come from there, too.
        if (field !== 'names' && isPlace(term)) continue;
        makes.set(term, Math.max(MAKES_NAMES[field] * share, makes.get(term) ?? 0));
      }
    }
    made.push(makes);
  }
  const terms = [...spoken.keys()];
  const evidence = weighEvidence([...spoken.values()], names.length);
  return {
    names,
    words: [...words],
    terms,
    speaks: {
      ends: endsOf(evidence),
      kinds: Uint16Array.from(evidence.flatMap((each) => each.map(({ kind }) => kind))),
      worths: Uint16Array.from(
        evidence.flatMap((each) => each.map(({ worth }) => wholeWorth(worth))),
      ),
    },
    makes: rankMade(made, new Map(terms.map((term, at) => [term, at]))),
    vectors,
  };
}

/** The words of each phrase of each field of each line that says something; lines are counted from 1. */
function* linesOf(text: string): Generator<{ number: number; fields: string[][][] }> {
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const fields = line.split(' | ').map((field) => field.split(', ').map(wordsOf));
    yield { number: at + 1, fields };
  }
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

/** The kinds that have a term in their lines, in order; how plainly it speaks at best, and how often, of each. */
type Spoken = { kind: number; worth: number; count: number }[];

function speak(
  spoken: Map<string, Spoken>,
  term: string,
  kind: number,
  worth: number,
  count: number,
): void {
  const known = spoken.get(term) ?? [];
  if (known.length === 0) spoken.set(term, known);
  const last = known.at(-1);
  if (last?.kind === kind) {
    last.worth = Math.max(worth, last.worth);
    last.count += count;
  } else {
    known.push({ kind, worth, count });
  }
}

/** A kind of business that a term speaks for, and how plainly, 0 to 1. */
interface Evidence {
  kind: number;
  worth: number;
}

/**
 * How plainly each term speaks for each kind: by where it stands in its line, and by how much more often it is said of
 * this kind than of all (1 for what nobody says of another).
 */
function weighEvidence(spoken: readonly Spoken[], size: number): Evidence[][] {
  const ofKind = new Float64Array(size);
  for (const { kind, count } of spoken.flat()) ofKind[kind] = (ofKind[kind] as number) + count;
  const all = ofKind.reduce((sum, count) => sum + count, 0);
  const most = Math.log(1 + size);
  return spoken.map((kinds) => {
    const share = kinds.reduce((sum, { count }) => sum + count, 0) / all;
    return kinds.map(({ kind, worth, count }) => {
      const lift = count / (ofKind[kind] as number) / share;
      const often = Math.min(1, Math.log(1 + lift) / most);
      return { kind, worth: (worth + often) / 2 };
    });
  });
}

/** Of each kind, what its names are made of: a term says the less, the more kinds make names of it. */
function rankMade(
  made: readonly ReadonlyMap<string, number>[],
  numberOf: ReadonlyMap<string, number>,
): KindsTable['makes'] {
  const makers = new Map<string, number[]>();
  for (const [term, worth] of made.flatMap((terms) => [...terms])) {
    const known = makers.get(term);
    if (known) known.push(worth);
    else makers.set(term, [worth]);
  }
  const shareOf = memoize((term) => {
    const worths = makers.get(term) ?? [];
    const most = Math.max(...worths);
    const share = worths.reduce((sum, worth) => sum + (worth / most) ** SHARING, 0);
    return { most, share: share ** (-1 / SHARING) };
  });
  const ranked = made.map((terms) =>
    [...terms]
      .map(([term, worth]) => {
        const { most, share } = shareOf(term);
        return { term: numberOf.get(term) ?? 0, worth: wholeWorth(worth * share * (worth / most)) };
      })
      .sort((a, b) => b.worth - a.worth),
  );
  return {
    ends: endsOf(ranked),
    terms: Uint32Array.from(ranked.flatMap((each) => each.map(({ term }) => term))),
    worths: Uint16Array.from(ranked.flatMap((each) => each.map(({ worth }) => worth))),
  };
}

/** Where the rows of each end, one list after the other. */
function endsOf(lists: readonly (readonly unknown[])[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(lists, (list) => {
    end += list.length;
    return end;
  });
}

/** As a whole number before it is compared: the last bits of a power are not the same on every Node. */
const wholeWorth = (worth: number): number => Math.round(worth * WHOLE_WORTH);
