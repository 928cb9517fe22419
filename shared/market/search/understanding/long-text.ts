import { withoutPrices } from '../candidate-filter.ts';
import { roleOf, STOP_WORDS, wordsOf } from '../language/text-analysis.ts';
import { isSmallTalk } from './filler.ts';
import { combineLimits, NO_LIMITS, type QueryInterpretation } from './interpretation.ts';

/** From so many words on a text is read by sentences, or when it has more than one. */
const LONG = { one: 25, more: 14 } as const;
/** Words of the topic of a long text, beside stop words. */
const MOST_WORDS = 20;
/** What ends a topic that says this much. */
const ENOUGH = 3;
/** The second sentence is told too if it says nearly as much as the best. */
const ALSO = 0.6;

const SENTENCE_END = /\n+|(?<=[^\s.]{4}[.!?…]|[!?;…])\s+|\s[-–—•*]+\s/u;
const DOING =
  '(?:do|sell|make|build|offer|help|provid|run|rent|repair|teach|design|deliver|creat|develop|produc|connect|speciali[sz]|bak|cook|fix|clean|grow|roast|brew|train|coach|match|manag|organi[sz]|import|distribut|let)\\w*\\b';
const KINDS =
  '(?:app|platform|service|shop|store|marketplace|tool|business|company|startup|agency|studio|practice|restaurant|school|site|website|newsletter|podcast|blog|brand)\\b';
const ASKING_PEOPLE =
  '(?:\\w+ )?(?:team|group|couple|student|founder|startup founder|mom|mum|dad|bit)\\b';
/** What a business is follows: "name for", "we sell", "I am opening a", "our shop"; what stands before is left out. */
const MARKERS = [
  '(?:names?|domains?|brand|url|website)(?: \\w+){0,2}? for ',
  '(?<=^)[\\w.]+ is (?=an?\\b)',
  `(?:we|i|it|which|that|who|company|startup|business|team)(?:'ll)? (?:(?:also|now|currently|will|mostly|mainly|only|can|is|are|am|been) ){0,3}(?=${DOING})`,
  `(?:start(?:ed|ing)?|want(?:ed)?|like|plan(?:ning)?|going|began|trying|decided) to (?=${DOING})`,
  '(?:open|start|launch|found|creat|build|plan|develop|set)(?:ing|ed)?(?: up)? (?=(?:an?|my|our|the|new|his|her)\\b)',
  `(?:it is|it's|its|this is|we are|we're|i'm|im|i am|(?:idea|business|company|product) is) (?=(?:an?|the|basically|in the|selling|making|building|offering)\\b)(?!an? ${ASKING_PEOPLE})`,
  `(?:have|for|about|:) (?=(?:an?|my|our)(?: [\\w'-]+){1,4} ${KINDS})`,
].map((marker) => new RegExp(`\\b${marker}`, 'iu'));
/** Who is asking, and why; greetings and good wishes. */
const STORY =
  /\b(?:i was|we were|had|grew|went|ago|wife|husband|mother|father|mom|dad|grand\w+|friend|love|hope|thank\w*|regards|cheers|tired|remember|excited|happy|my name is|i am called|years|sincerely|appreciate|forward to|dear|hello|hi|quit|job|dream\w*)\b/giu;
/** A limit is one of the name only where names, prices or letters are spoken of. */
const OF_NAMES =
  /\b(?:names?|naming|domains?|budget|price|pay|spend|afford|costs?|max|maximum|under|below|less|up to|letters?|characters?|chars|syllables?|words?|hyphens?|dash(?:es)?|digits?|numbers?|com|short|brand\w*|catchy|memorable|sounds?|tld|extension|prefer\w*|ideally|expensive|cheap\w*|affordable|avoid|should|must|nothing|don'?t want)\b|\.[a-z]{2,}\b/iu;
/** Amounts of these are no prices of names. */
const EARNED =
  /\b(?:rais(?:ed|ing)|revenue|turnover|valued|worth|funding|funded|market|profits?|savings)\b/iu;
/** Goes on to something else. */
const CLAUSE_END =
  /,? (?:because|since|so that|which is why|while|but|so i|so we|and i|and we)\b|[,;:] (?=i |we |and |but )/iu;

/** The sentences of a text that has too much to be one request; none of one that has not. */
export function sentencesOf(text: string): string[] {
  const sentences = text.split(SENTENCE_END).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  const words = text.split(/\s+/).length;
  return words > LONG.one || (sentences.length > 1 && words > LONG.more) ? sentences : [];
}

/** Together what the sentences of a long text say, and the one or two that tell what the business is. */
export function combineSentences(
  sentences: readonly string[],
  read: (sentence: string) => QueryInterpretation,
): QueryInterpretation {
  let limits = NO_LIMITS;
  const topics = sentences.map((sentence, at) => {
    const { topic, ...said } = read(sentence);
    const ofName = EARNED.test(sentence) ? withoutPrices(said) : said;
    if (OF_NAMES.test(sentence)) limits = combineLimits(limits, ofName);
    const [start] = MARKERS.flatMap((marker) => {
      const found = marker.exec(topic);
      return found ? [found.index + found[0].length] : [];
    }).sort((a, b) => a - b);
    const about = untilClauseEnd(topic.slice(start ?? 0)).replace(/[^\p{L}\p{N}\p{M})]+$/u, '');
    const isMarked = start !== undefined || MARKERS.some((marker) => marker.test(sentence));
    const stories = start === undefined ? (sentence.match(STORY) ?? []).length : 0;
    const telling = Math.min(tellingWords(about).length, 8);
    return { at, about, isMarked, score: telling + (isMarked ? 5 : 0) - 2 * stories - at / 10 };
  });
  const [best, second] = topics
    .filter(({ about }) => tellingWords(about).length > 0)
    .sort((a, b) => b.score - a.score);
  const isBoth = best && second?.isMarked && second.score > ALSO * best.score;
  const chosen = isBoth ? [best, second].sort((a, b) => a.at - b.at) : best ? [best] : [];
  return { ...limits, topic: firstWords(chosen.map(({ about }) => about).join(', ')) };
}

/** What a text says of a business, each once. */
function tellingWords(text: string): string[] {
  return [...new Set(wordsOf(text))].filter(
    (word) => !STOP_WORDS.has(word) && !isSmallTalk(word) && roleOf(word) === 'topic',
  );
}

function untilClauseEnd(text: string): string {
  for (let from = 0; ; ) {
    const found = CLAUSE_END.exec(text.slice(from));
    if (!found) return text;
    const before = text.slice(0, from + found.index);
    if (tellingWords(before).length >= ENOUGH) return before;
    from += found.index + found[0].length;
  }
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
