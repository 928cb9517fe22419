import { isLiving, isPlace } from './language/lexicon.ts';
import { stem } from './language/stem.ts';
import { isLatin, isUnspaced } from './language/text-analysis.ts';
import { thesaurus } from './language/thesaurus.ts';
import type { QueryTerm } from './parse-query.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';
import type { Candidate } from './search.store.ts';
import { isWordLike } from './search-document.ts';

/** How one word of the query was met: by which word, where, and how well (0 to 1). */
export interface TermMatch {
  asked: string;
  by: string | null;
  where: 'label' | 'tld' | 'tags' | 'about' | null;
  worth: number;
  /** What the owner says of the name meets it as well. */
  owner: boolean;
}

/** A candidate taken apart. */
interface NameParts {
  labelWords: readonly string[];
  stems: readonly string[];
  /** The stems of each word of the label and the next one, as one term. */
  pairs: readonly string[];
  /** Of each word of the label, whether it says for whom or where: "gents" of "gents golf". */
  narrowing: readonly boolean[];
  /** The stem of a suffix that says what a site is. */
  tld: string | null;
  tags: readonly string[];
  about: readonly string[];
}

/** The parts of a candidate for all words of a query. */
export interface CandidateTerms extends NameParts {
  /** Of each word of the label, how well it meets a word of the query; filled while they are met. */
  explained: number[];
}

/** Names are found again and again. */
const partsOfNames = new WeakMap<Candidate, NameParts>();

export function candidateTerms(candidate: Candidate): CandidateTerms {
  let parts = partsOfNames.get(candidate);
  if (!parts) {
    parts = takeApart(candidate);
    partsOfNames.set(candidate, parts);
  }
  const { labelWords, stems, pairs, narrowing, tld, tags, about } = parts;
  const explained = new Array<number>(stems.length).fill(0);
  return { labelWords, stems, pairs, narrowing, tld, tags, about, explained };
}

function takeApart({ labelWords, tld, tags, about }: Candidate): NameParts {
  const words = labelWords.split(' ');
  const stems = words.map(stem);
  return {
    labelWords: words,
    stems,
    pairs: stems.slice(1).map((second, at) => `${stems[at]}_${second}`),
    narrowing: words.map((word, at) => {
      // Who stands last is who does it: "garden hero".
      const mayBeWhom = at < words.length - 1 || words[at - 1] === 'for';
      return word === 'for' || (mayBeWhom && isLiving(word)) || isPlace(word);
    }),
    tld: isWordLike(tld) ? stem(tld) : null,
    tags: tags === '' ? [] : tags.split(' '),
    about: about === '' ? [] : about.split(' '),
  };
}

/** How a word is met best, and how well elsewhere. */
interface Met {
  best: TermMatch;
  second: number;
}

/** The best place where a word is met; a second one makes it surer. Marks the words of the label that meet it. */
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

/** How well a word of a label meets one that it holds, 0 when it holds none. */
function partOf(labelWord: string, inside: TermSimilarity['inside']): number {
  for (const { text, worth } of inside) {
    if (labelWord.length > text.length && labelWord.includes(text)) return worth;
  }
  return 0;
}

/** What a word of a query is close to. */
export interface TermSimilarity {
  /** How well a stem meets the word, 0 to 1, wherever it is. */
  to(stemmed: string): number;
  /** How well the word itself meets it: 1, or less if it is a translation. */
  same: number;
  /** Stems of its two parts, when they stand for it side by side. */
  parts: readonly string[];
  /** The word, and those that it translates, where a longer word of a label may hold them; and what that is worth. */
  inside: readonly { text: string; worth: number }[];
}

/** Inside a label, a few Latin letters are a coincidence; two signs of another script are a word. */
function isTelling(text: string): boolean {
  return text.length >= (isLatin(text) ? 5 : isUnspaced(text) ? 2 : 3);
}

function worthInside(text: string): { text: string; worth: number } {
  const { inside, insideOtherScript } = RANKING_WEIGHTS.match;
  return { text, worth: isLatin(text) ? inside : insideOtherScript };
}

/** What a word of a query is close to. */
export function similarityTo(word: QueryTerm): TermSimilarity {
  const values = valuesOf(word);
  return {
    to: (stemmed) => values.get(stemmed) ?? 0,
    same: RANKING_WEIGHTS.match.same * word.likeness,
    parts: word.parts,
    inside: [word.word, ...word.originals].filter(isTelling).map(worthInside),
  };
}

function valuesOf({
  stem,
  joined,
  forms,
  repairs,
  likeness,
  alternatives,
  groups,
}: QueryTerm): Map<string, number> {
  const { match } = RANKING_WEIGHTS;
  const values = new Map<string, number>();
  const add = (stemmed: string, value: number) => {
    if (value > (values.get(stemmed) ?? 0)) values.set(stemmed, value);
  };
  add(stem, match.sameStem * likeness);
  for (const both of joined) add(both, match.joined * likeness);
  for (const form of forms) add(form, match.form * likeness);
  for (const repair of repairs) add(repair.stem, match.sameStem * repair.likeness);
  for (const other of alternatives) add(other.stem, match.sameStem * other.likeness);
  // What is meant by a misspelt or foreign word is as unsure as its repair or translation.
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
