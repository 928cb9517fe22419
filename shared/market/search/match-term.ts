import { type KindsOfName, kindsOfName } from './kinds/kinds-of-name.ts';
import { isLiving, isPlace } from './language/lexicon.ts';
import { stem } from './language/stem.ts';
import { isLatin, isUnspaced } from './language/text-analysis.ts';
import { thesaurus } from './language/thesaurus.ts';
import type { QueryTerm } from './parse-query.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';
import type { Candidate } from './search.store.ts';
import { isWordLike } from './search-document.ts';

/** How a word of the query matched: the matching word, its place, and its value (0 to 1). */
export interface TermMatch {
  asked: string;
  by: string | null;
  where: 'label' | 'tld' | 'tags' | 'about' | null;
  worth: number;
  /** Whether the owner's texts match, too. */
  owner: boolean;
}

/** The parts of a candidate. */
interface NameParts {
  labelWords: readonly string[];
  stems: readonly string[];
  /** The stems of each two adjacent words of the label, as one term. */
  pairs: readonly string[];
  /** By word of the label: whether it names an audience or place, such as "gents" in "gents golf". */
  narrowing: readonly boolean[];
  /** The stem of a suffix that is a word. */
  tld: string | null;
  tags: readonly string[];
  about: readonly string[];
  kinds: KindsOfName;
}

/** The parts of a candidate and its matches with all words of a query. */
export interface CandidateTerms extends NameParts {
  /** By word of the label: how well it matches the query. Filled during matching. */
  explained: number[];
}

/** Cached, because the same names are found repeatedly. */
const partsOfNames = new WeakMap<Candidate, NameParts>();

export function candidateTerms(candidate: Candidate): CandidateTerms {
  let parts = partsOfNames.get(candidate);
  if (!parts) {
    parts = takeApart(candidate);
    partsOfNames.set(candidate, parts);
  }
  const { labelWords, stems, pairs, narrowing, tld, tags, about, kinds } = parts;
  const explained = new Array<number>(stems.length).fill(0);
  return { labelWords, stems, pairs, narrowing, tld, tags, about, kinds, explained };
}

function takeApart(candidate: Candidate): NameParts {
  const words = candidate.labelWords.split(' ');
  const stems = words.map(stem);
  const tld = isWordLike(candidate.tld) ? stem(candidate.tld) : null;
  const [tags, about] = [candidate.tags, candidate.about].map((text) =>
    text === '' ? [] : text.split(' '),
  ) as [string[], string[]];
  return {
    labelWords: words,
    stems,
    pairs: stems.slice(1).map((second, at) => `${stems[at]}_${second}`),
    narrowing: words.map((word, at) => {
      // A living being in last place is the provider, not the audience: "garden hero".
      const mayBeWhom = at < words.length - 1 || words[at - 1] === 'for';
      return word === 'for' || (mayBeWhom && isLiving(word)) || isPlace(word);
    }),
    tld,
    tags,
    about,
    kinds: kindsOfName(tld === null ? stems : [...stems, tld], [...tags, ...about]),
  };
}

/** A word's best match, and the value of its second best elsewhere. */
interface Met {
  best: TermMatch;
  second: number;
}

/** Returns the best match of a word; a second one in another place adds to it. Marks the label words that match. */
export function matchTerm(word: string, close: TermSimilarity, name: CandidateTerms): TermMatch {
  const { place, match } = RANKING_WEIGHTS;
  const best: TermMatch = { asked: word, by: null, where: null, worth: 0, owner: false };
  const met: Met = { best, second: 0 };
  const { stems, labelWords, explained } = name;
  for (let at = 0; at < stems.length; at += 1) {
    const labelWord = labelWords[at] ?? '';
    const whole = labelWord === word ? close.same : close.to(stems[at] ?? '');
    const value = whole === 0 ? partOf(labelWord, close.inside) : whole;
    if (value === 0) continue;
    explained[at] = Math.max(explained[at] ?? 0, value);
    consider(met, value * place.label, labelWord, 'label');
  }
  const [first, last] = close.parts;
  if (first !== undefined) {
    const at = stems.findIndex((stemmed, index) => stemmed === first && stems[index + 1] === last);
    if (at >= 0) {
      explained[at] = match.joined;
      explained[at + 1] = match.joined;
      consider(met, match.joined, `${labelWords[at]} ${labelWords[at + 1]}`, 'label');
    }
  }
  if (name.tld !== null) consider(met, close.to(name.tld) * place.tld, name.tld, 'tld');
  matchOwner(met, close, name.tags, 'tags');
  matchOwner(met, close, name.about, 'about');
  best.worth += (1 - best.worth) * met.second * place.second;
  return best;
}

function matchOwner(
  met: Met,
  close: TermSimilarity,
  stems: readonly string[],
  where: 'tags' | 'about',
): void {
  for (const stemmed of stems) {
    const value = close.to(stemmed);
    if (value === 0) continue;
    met.best.owner = true;
    consider(met, value * RANKING_WEIGHTS.place[where], stemmed, where);
  }
}

function consider(
  met: Met,
  worth: number,
  by: string,
  where: Exclude<TermMatch['where'], null>,
): void {
  const { best } = met;
  if (worth > best.worth) {
    if (best.where !== where) met.second = best.worth;
    best.by = by;
    best.where = where;
    best.worth = worth;
  } else if (worth > met.second && best.where !== where) met.second = worth;
}

/** Returns the value of a word inside a label word; 0 if there is none. */
function partOf(labelWord: string, inside: TermSimilarity['inside']): number {
  for (const { text, worth } of inside) {
    if (labelWord.length > text.length && labelWord.includes(text)) return worth;
  }
  return 0;
}

/** The words that a query word is similar to. */
export interface TermSimilarity {
  /** Returns how well a stem matches the word, 0 to 1, in any place. */
  to(stemmed: string): number;
  /** The value of the word itself: 1, or less for a translation. */
  same: number;
  /** The stems of its two parts, which match if adjacent. */
  parts: readonly string[];
  /** The word and its originals, which a longer label word may contain, with their values. */
  inside: readonly { text: string; worth: number }[];
}

/** A few Latin letters inside a label match by chance; two characters of a script without spaces are a word. */
export function isTelling(text: string): boolean {
  return text.length >= (isLatin(text) ? 5 : isUnspaced(text) ? 2 : 3);
}

function worthInside(text: string): { text: string; worth: number } {
  const { inside, insideOtherScript } = RANKING_WEIGHTS.match;
  return { text, worth: isLatin(text) ? inside : insideOtherScript };
}

/** Returns the words that a query word is similar to. */
export function similarityTo(word: QueryTerm): TermSimilarity {
  const values = valuesOf(word);
  return {
    to: (stemmed) => values.get(stemmed) ?? 0,
    same: RANKING_WEIGHTS.match.same * word.likeness,
    parts: word.parts,
    inside: [word.word, ...word.originals, ...word.latin].filter(isTelling).map(worthInside),
  };
}

function valuesOf({
  stem: own,
  joined,
  forms,
  repairs,
  likeness,
  alternatives,
  latin,
  groups,
}: QueryTerm): Map<string, number> {
  const { match } = RANKING_WEIGHTS;
  const values = new Map<string, number>();
  const add = (stemmed: string, value: number) => {
    if (value > (values.get(stemmed) ?? 0)) values.set(stemmed, value);
  };
  add(own, match.sameStem * likeness);
  for (const both of joined) add(both, match.joined * likeness);
  for (const form of forms) add(form, match.form * likeness);
  for (const repair of repairs) add(repair.stem, match.sameStem * repair.likeness);
  for (const other of alternatives) add(other.stem, match.sameStem * other.likeness);
  for (const form of latin) add(stem(form), match.sameStem);
  // The meaning of a misspelled or foreign word is only as certain as its correction or translation.
  const sure = repairs[0]?.likeness ?? likeness;
  const cores = [...groups.values()].filter((membership) => membership === 'core').length;
  const meant = sure / Math.max(1, cores) ** match.ambiguity;
  for (const [group, membership] of groups) {
    const { core, related } = thesaurus().stemsOf(group);
    for (const other of core) {
      add(other, meant * (membership === 'core' ? match.synonym : match.relatedToAsked));
    }
    if (membership === 'core') {
      for (const other of related) add(other, meant * match.relatedToFound);
    }
  }
  return values;
}
