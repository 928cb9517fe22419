import { memoize } from '../memoize.ts';
import { recognizeAffixes } from './affixes.ts';
import { exclusionRecognizer } from './exclusions.ts';
import {
  countFiller,
  domainAskedFor,
  fillerAtEnd,
  isAskerOnly,
  leadingFiller,
  trailingFiller,
} from './filler.ts';
import {
  combineLimits,
  hasLimits,
  NO_LIMITS,
  type PhraseMeaning,
  type QueryInterpretation,
  type QueryLimits,
} from './interpretation.ts';
import { recognizeLength } from './letters.ts';
import { combineSentences, sentencesOf } from './long-text.ts';
import { isNoLanguage } from './no-language.ts';
import { recognizePatterns } from './patterns.ts';
import { recognizePrice } from './prices.ts';
import { spaceAmounts } from './quantities.ts';
import { type QueryToken, tokenizeQuery } from './query-tokens.ts';
import type { Claim, QueryContext, Recognizer } from './recognizer.ts';
import { recognizeSuffixes } from './suffixes.ts';
import { isSaidOfOffers, meaningOfWish, possibleWishAt, recognizeWish } from './wish-phrases.ts';
import { recognizeWordCount } from './word-count.ts';

/** In order of priority: a number is a length before it is a price. */
const LIMITS: readonly Recognizer[] = [
  recognizeWordCount,
  recognizePatterns,
  recognizeLength,
  recognizePrice,
  recognizeSuffixes,
  recognizeAffixes,
  recognizeWish,
];
const RECOGNIZERS: readonly Recognizer[] = [
  recognizeWish,
  recognizeWordCount,
  recognizePatterns,
  recognizeLength,
  recognizePrice,
  exclusionRecognizer(LIMITS),
  recognizeSuffixes,
  recognizeAffixes,
];

/** More rounds than any real query needs; limits texts crafted to be parsed repeatedly. */
const MOST_ROUNDS = 13;

/** The number of characters to check for code. */
const MAX_CODE = 200;

/** The number of characters to search by. */
const MAX_TEXT = 1_000;

/**
 * Interprets a query as buyers type it: limits on price, suffix, length and letters, words to exclude, and wishes. The
 * rest is the topic. Accepts any text, in time proportional to its length.
 */
export const understandQuery = memoize((text) => understand(text.slice(0, MAX_TEXT)), 2_000);

function understand(typed: string): QueryInterpretation {
  if (isNoLanguage(typed.trim().slice(0, MAX_CODE))) return { topic: '', ...NO_LIMITS };
  const text = spaceAmounts(typed);
  const sentences = sentencesOf(text);
  const read = combineSentences(sentences, understandPhrases);
  const { topic, ...limits } = understandPhrases(sentences.length > 0 ? read.topic : text);
  return { topic: isNoLanguage(topic) ? '' : topic, ...combineLimits(read, limits) };
}

function understandPhrases(text: string): QueryInterpretation {
  let limits: QueryLimits = NO_LIMITS;
  let topic = text.trim();
  // Removing a phrase may leave another one.
  for (let rounds = 0; ; rounds += 1) {
    const round = readOnce(topic);
    limits = combineLimits(limits, round.limits);
    if (round.topic === topic || rounds === MOST_ROUNDS) return { topic: round.topic, ...limits };
    topic = round.topic;
  }
}

function readOnce(text: string): { topic: string; limits: QueryLimits } {
  const tokens = tokenizeQuery(text);
  // A domain is a search for itself.
  if (
    tokens.length === 1 &&
    tokens[0]?.kind === 'domain' &&
    !/^([LN]{2,8}|[2-9][LN]|[CV]{3,8})\./.test(text)
  ) {
    return { topic: text, limits: NO_LIMITS };
  }
  const claimed = new Array<boolean>(tokens.length).fill(false);
  const context: QueryContext = { tokens, isClaimed: (at) => claimed[at] === true };
  let limits = NO_LIMITS;
  let at = 0;
  while (at < tokens.length) {
    const claim = claimAt(context, at);
    if (claim) {
      limits = combineLimits(limits, claim.meaning);
      claimed.fill(true, at, claim.end);
    }
    at = claim?.end ?? at + 1;
  }
  const rest = trim(tokens, claimed);
  const isAsked = hasLimits(limits);
  const domain = domainAskedFor(rest.flat());
  if (domain) return { topic: domain.text, limits };
  const topic = rest.map((piece) => slice(text, piece)).join(' ');
  const wished = wishesOnly(rest.flat());
  if (wished) {
    // A single word that also describes businesses is both a wish and a topic: "luxury".
    const isTopic = !isAsked && wished.wishes?.length === 1 && !isSaidOfOffers(rest.flat());
    return { topic: isTopic ? topic : '', limits: combineLimits(limits, wished) };
  }
  if (isAsked && isAskerOnly(rest.flat())) return { topic: '', limits };
  return topic === '' && !isAsked ? { topic: text, limits } : { topic, limits };
}

/** Returns the first match of a recognizer, unless it would cut a hyphenated word in two. */
function claimAt(context: QueryContext, at: number): Claim | undefined {
  const { tokens } = context;
  if (tokens[at]?.hyphenated) return undefined;
  for (const recognize of RECOGNIZERS) {
    const claim = recognize(context, at);
    if (claim && !tokens[claim.end]?.hyphenated && hasMeaning(claim)) return claim;
  }
  return undefined;
}

function hasMeaning({ meaning }: Claim): boolean {
  return hasLimits(combineLimits(NO_LIMITS, meaning));
}

/** Returns the pieces of a query between the understood phrases, without filler words. */
function trim(tokens: readonly QueryToken[], claimed: readonly boolean[]): QueryToken[][] {
  const pieces: { tokens: QueryToken[]; isBesideClaim: boolean }[] = [];
  const isAsked = claimed.includes(true);
  for (let at = 0; at < tokens.length; at += 1) {
    if (claimed[at]) continue;
    let end = at;
    while (end < tokens.length && !claimed[end]) end += 1;
    pieces.push({
      tokens: tokens.slice(at, end),
      isBesideClaim: at > 0 || end < tokens.length,
    });
    at = end;
  }
  return pieces
    .map((piece) => {
      const start = isAsked ? countFiller(piece.tokens) : leadingFiller(piece.tokens);
      const kept = piece.tokens.slice(start);
      const end = piece.isBesideClaim
        ? fillerAtEnd(kept)
        : trailingFiller(kept, isAsked || start > 0);
      return kept.slice(0, kept.length - end);
    })
    .filter((each) => each.length > 0);
}

/** Returns the wishes of a rest that consists only of wishes. */
function wishesOnly(tokens: readonly QueryToken[]): PhraseMeaning | undefined {
  let meaning = NO_LIMITS;
  let at = 0;
  while (at < tokens.length) {
    const wish = possibleWishAt(tokens, at);
    const token = tokens[at];
    if (wish) meaning = combineLimits(meaning, meaningOfWish(tokens, wish));
    else if (token && !isAskerOnly([token])) return undefined;
    at = wish?.end ?? at + 1;
  }
  return meaning.wishes.length > 0 ? meaning : undefined;
}

function slice(text: string, tokens: readonly QueryToken[]): string {
  const [first] = tokens;
  return text.slice(first?.start ?? 0, tokens.at(-1)?.end ?? 0);
}
