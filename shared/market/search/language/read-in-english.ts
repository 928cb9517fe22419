import { emojiIn } from './emoji.ts';
import { latinForms } from './romanize.ts';
import { roleOf } from './text-analysis.ts';
import { translate } from './translate.ts';

/** A word that a name may contain instead, and the likelihood that it is meant, 0 to 1. */
export interface Alternative {
  word: string;
  likeness: number;
  /** Whether it is the word as typed, of which the other is a translation. */
  asked: boolean;
}

/** Where a word of a query came from. */
export interface WordOrigin {
  /** The likelihood that it is meant: 1 for a word as typed, less for a translation. */
  likeness: number;
  alternatives: readonly Alternative[];
}

/** A query with its foreign words in English. */
export interface EnglishReading {
  words: readonly string[];
  /** By word; only for words that are not exactly as typed. */
  origins: ReadonlyMap<string, WordOrigin>;
  /** The labels that equal the query, as typed and in Latin letters. */
  labels: readonly string[];
  /** Whether any of it is translated. */
  foreign: boolean;
}

/** The likelihoods of an emoji's keywords; the first is what it shows. */
const EMOJI_LIKENESS = [0.95, 0.82, 0.74, 0.68, 0.63, 0.6, 0.55, 0.5] as const;
/** Longer words of a phrase are meaningful. */
const LONGEST_JOINING = 3;
/**
 * The likelihoods of a foreign word as typed and translated. Users prefer names in the language of their query.
 */
const LIKENESS = { asked: 1, translated: 0.9 } as const;

/** Translates the folded words of a query and the emoji of its text to English. Accepts any text. */
export function readInEnglish(asked: readonly string[], text: string): EnglishReading {
  const words: string[] = [];
  const origins = new Map<string, WordOrigin>();
  const add = (word: string, likeness: number, others: readonly Alternative[]) => {
    words.push(word);
    const different = others.filter((other) => other.word !== word);
    if (likeness === 1 && different.length === 0) return;
    const known = origins.get(word);
    origins.set(word, {
      likeness: Math.max(likeness, known?.likeness ?? 0),
      alternatives: [...(known?.alternatives ?? []), ...different],
    });
  };
  const terms = translate(asked);
  for (const { asked: term, english, language } of terms) {
    const [first, ...rest] = english;
    if (first === undefined || language === null) {
      for (const word of term.split(' ')) add(word, 1, []);
      continue;
    }
    const others = original(term);
    for (const word of first.text.split(' ')) {
      add(word, LIKENESS.translated * first.likeness, [...others, ...rest.flatMap(single)]);
    }
  }
  const emoji = emojiIn(text);
  for (const { keywords } of emoji) {
    const meanings = keywords.map((each, at) => ({
      text: each,
      likeness: EMOJI_LIKENESS[at] ?? 0,
    }));
    const [first, ...rest] = meanings;
    for (const word of first?.text.split(' ') ?? []) add(word, 1, rest.flatMap(single));
  }
  // With an emoji, the letters alone are not the whole query.
  const label = (emoji.length > 0 ? words : asked).join('');
  return {
    words,
    origins,
    labels: [label, ...latinForms(label)],
    foreign: terms.some(({ language }) => language !== null),
  };
}

/** Returns the original words; for a phrase, without its short function words. */
function original(term: string): Alternative[] {
  const words = term.split(' ');
  const telling =
    words.length === 1 ? words : words.filter((word) => word.length > LONGEST_JOINING);
  return telling.map((word) => ({ word, likeness: LIKENESS.asked, asked: true }));
}

/** Returns the words without generic ones: only "flower" for "flower shop". */
function single({ text, likeness }: { text: string; likeness: number }): Alternative[] {
  const words = text.split(' ');
  const telling = words.length === 1 ? words : words.filter((word) => roleOf(word) !== 'generic');
  return telling.map((word) => ({ word, likeness, asked: false }));
}
