import { withoutPrices } from '../candidate-filter.ts';
import { businessKinds } from '../kinds/kinds.ts';
import { stem } from '../language/stem.ts';
import { roleOf, STOP_WORDS, wordsOf } from '../language/text-analysis.ts';
import { isSmallTalk } from './filler.ts';
import { combineLimits, NO_LIMITS, type QueryInterpretation } from './interpretation.ts';

/** Texts with more words than this are read by sentence; `more` applies to several sentences. */
const LONG = { one: 25, more: 14 } as const;
/** The maximum number of topic words of a long text, without stop words. */
const MOST_WORDS = 20;
/** A theme needs at least `words` words, each worth at least `word` and together more than `least`. */
const THEME = { word: 0.2, words: 3, least: 1.8 } as const;
const SENTENCE_END = /\n+|(?<=[^\s.]{4}[.!?…]|[!?;…])\s+|\s[-–—•*]+\s/u;
/** A sentence sets limits only if it mentions names, prices or letters. */
const OF_NAMES =
  /\b(?:names?|naming|domains?|budget|price|pay|spend|afford|costs?|max|maximum|under|below|less|up to|letters?|characters?|chars|syllables?|words?|hyphens?|dash(?:es)?|digits?|numbers?|com|short|brand\w*|catchy|memorable|sounds?|tld|extension|prefer\w*|ideally|expensive|cheap\w*|affordable|avoid|should|must|nothing|don'?t want)\b|\.[a-z]{2,}\b/iu;
/** Amounts in sentences with these are not prices of names. */
const EARNED =
  /\b(?:rais(?:ed|ing)|revenue|turnover|valued|worth|funding|funded|market|profits?|savings)\b/iu;

/** Splits a text that is too long for one request into sentences; returns none for a short one. */
export function sentencesOf(text: string): string[] {
  const sentences = text.split(SENTENCE_END).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  const words = text.split(/\s+/).length;
  return words > LONG.one || (sentences.length > 1 && words > LONG.more) ? sentences : [];
}

/** Combines the limits in the sentences of a long text with the words that describe the business. */
export function combineSentences(
  sentences: readonly string[],
  understood: (sentence: string) => QueryInterpretation,
): QueryInterpretation {
  let limits = NO_LIMITS;
  const topics = sentences.map((sentence) => {
    const { topic, ...said } = understood(sentence);
    const ofName = EARNED.test(sentence) ? withoutPrices(said) : said;
    if (OF_NAMES.test(sentence)) limits = combineLimits(limits, ofName);
    return topic;
  });
  return { ...limits, topic: themeOf(topics) ?? firstWords(topics.join(', ')) };
}

/** Returns the words for the best-supported kind of business in the texts; null if none has enough support. */
function themeOf(texts: readonly string[]): string | null {
  const { evidenceOf } = businessKinds();
  const said = new Map<number, Map<string, number>>();
  const speak = (term: string, words: readonly string[]) => {
    for (const { kind, worth } of evidenceOf(term)) {
      if (worth < THEME.word) continue;
      const by = said.get(kind) ?? new Map<string, number>();
      said.set(kind, by);
      for (const word of words) by.set(word, Math.max(by.get(word) ?? 0, worth));
    }
  };
  for (const text of texts) {
    const telling = new Set(tellingWords(text));
    const words = wordsOf(text);
    for (const [at, word] of words.entries()) {
      if (!telling.has(word)) continue;
      speak(stem(word), [word]);
      const next = words[at + 1] ?? '';
      if (telling.has(next)) speak(`${stem(word)}_${stem(next)}`, [word, next]);
    }
  }
  let theme: { words: string[]; sum: number } | undefined;
  for (const by of said.values()) {
    const sum = [...by.values()].reduce((all, worth) => all + worth, 0);
    if (by.size >= THEME.words && sum > (theme?.sum ?? THEME.least)) {
      theme = { words: [...by.keys()], sum };
    }
  }
  return theme ? theme.words.join(' ') : null;
}

/** Returns the distinct words of a text that describe a business. */
function tellingWords(text: string): string[] {
  return [...new Set(wordsOf(text))].filter(
    (word) => !STOP_WORDS.has(word) && !isSmallTalk(word) && roleOf(word) === 'topic',
  );
}

function firstWords(text: string): string {
  let count = 0;
  let all = 0;
  for (const { index, 0: word } of text.matchAll(/[\p{L}\p{N}\p{M}'’]+/gu)) {
    if (!STOP_WORDS.has(word.toLowerCase())) count += 1;
    all += 1;
    if (count > MOST_WORDS || all === LONG.one) return text.slice(0, index).trim();
  }
  return text;
}
