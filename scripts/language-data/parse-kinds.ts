import { type KindsTable, WHOLE_WORTH } from '../../shared/market/search/kinds/kinds-table.ts';
import { isAdjectiveStem, isPlace } from '../../shared/market/search/language/lexicon.ts';
import { stem } from '../../shared/market/search/language/stem.ts';
import { roleOf, STOP_WORDS, wordsOf } from '../../shared/market/search/language/text-analysis.ts';
import { memoize } from '../../shared/market/search/memoize.ts';

/** How strongly a term indicates a kind, depending on the field it is in, and how much each occurrence counts. */
const SPEAKS = { names: 1, things: 0.75 } as const;
const COUNTS = { names: 3, things: 1.5 } as const;
/** The weight of a single word of a phrase, compared with the whole phrase. */
const PART = 0.6;
/** How much a word in a domain name tells about a kind: a word for the business itself, or for a related thing. */
const MAKES_NAMES = { names: 0.95, things: 0.64 } as const;

/** How strongly the kinds that use a term most (as a name) lower its weight for the others that share it. */
const SHARING = 6;

/**
 * Parses the format described at the top of `kinds.txt` and computes the weights; `vectors` are the sentence encoder's
 * vectors of the kinds. @throws Error that names the wrong line
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
        // "Amsterdam" belongs to tulips, but a name with it may be for anything from there.
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

/** Yields the fields of each line that is not empty or a comment, as phrases of words; line numbers start at 1. */
function* linesOf(text: string): Generator<{ number: number; fields: string[][][] }> {
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const fields = line.split(' | ').map((field) => field.split(', ').map(wordsOf));
    yield { number: at + 1, fields };
  }
}

/** Returns the stems of a phrase and each pair of neighboring stems, with their share of the phrase. */
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

/** Returns the stem of a meaningful word, or null for stop words and generic ones. */
function tellingStem(word: string): string | null {
  return STOP_WORDS.has(word) || roleOf(word) === 'generic' ? null : stem(word);
}

/** The kinds whose lines contain a term, in order, with its highest weight and its weighted count in each. */
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

/** A kind of business that a term indicates, and how strongly, from 0 to 1. */
interface Evidence {
  kind: number;
  worth: number;
}

/**
 * Computes how strongly each term indicates each kind: from the field it is in, and from how much more often it occurs
 * for this kind than for all (1 if it occurs for no other).
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

/** Ranks, for each kind, the terms its names are made of. The more kinds use a term in names, the less it counts. */
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

/** Returns the end position of each list when all lists are concatenated. */
function endsOf(lists: readonly (readonly unknown[])[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(lists, (list) => {
    end += list.length;
    return end;
  });
}

/** Rounded to a whole number before comparing: the last bits of a power differ between Node versions. */
const wholeWorth = (worth: number): number => Math.round(worth * WHOLE_WORTH);
