import { STOP_WORDS } from '../language/text-analysis.ts';
import type { PhraseMeaning, Wish } from './interpretation.ts';
import { phrases, phrasesOf, phraseTable } from './phrase-table.ts';
import { isBoundary } from './quantities.ts';
import type { QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext } from './recognizer.ts';
import { suffixListAt } from './suffixes.ts';

/**
 * The phrases for each wish. Those in `name` describe almost only names, and mean the wish anywhere. Those in
 * `anything` also describe businesses ("luxury hotels"), and mean the wish only when they describe the name.
 */
const PHRASES: Record<Wish, { name: string; anything: string }> = {
  short: {
    name: 'as short as possible, shortest possible, short as can be, not too long, not long, no long names, super short, very short, really short, ultra short, extra short, short and sweet, few letters, not many letters, bite sized, fits on a business card',
    anything: 'short, shorter, shortest, compact, tiny, concise, snappy, teeny',
  },
  brandable: {
    name: `brandable, brand able, catchy, catchy sounding, memorable, easy on the ear, rolls off the tongue,
      sounds like a brand, like a brand, easily remembered, sticky name, that sticks, that stick, hard to forget, nice sounding, good sounding, wont forget, will not forget, people wont forget, sticks in your head, stick in your head, sticks in the mind, stays in your head, stays with you, people remember, ppl remember, people will remember, customers remember, will remember,
      hard to misspell, impossible to misspell, cant be misspelled, passes the radio test, could spell, can spell, easy over the phone, a nice ring, nice ring to it, nice ring to them, good ring to it, has a ring to it,
      become a brand, could become a brand, could be a brand, brand potential, household name`,
    anything: `cool, fun, funny, playful, quirky, punchy, unique, distinctive, creative, original, fresh, modern, trendy, hip, edgy, clever, witty,
      futuristic, techy, abstract, unusual, melodic, cute, bold, fancy, unforgettable, distinct, interesting, imaginative,
      friendly, energetic, dynamic, contemporary, forward looking, next gen, next generation, cutting edge, sleek, slick, hi tech, high tech, tech y, techie, up to date, weird, zany, whimsical, silly, youthful, lively, vibrant,
      eye catching, attention grabbing, artsy, minimalist, innovative, space age`,
  },
  made_up: {
    name: `made up, made up word, made up words, made up name, made up names, invented word, invented words, invented name, invented names, coined, coined word,
      coined words, coined name, fantasy name, fantasy names, fantasy word, nonsense word, nonsense name, no real word, no real words, not a real word, not real words, no dictionary word, no dictionary words, not a dictionary word, not dictionary words`,
    anything: 'invented',
  },
  premium: {
    name: 'premium quality, premium name, premium domain, premium domains, investment grade, ultra premium, touch of class, touch of glamour, touch of luxury, money no object, no expense spared',
    anything: `premium, luxury, luxurious, elegant, exclusive, prestigious, classy, sophisticated, upscale, upmarket, high end, top tier, top notch,
      authoritative, timeless, refined, stylish, posh, noble, valuable, high value, professional, serious, trustworthy, strong, powerful, beautiful,
      top, rare, expensive, most expensive, top quality, high quality, impressive, best, first class, chic, opulent, lavish, glamorous, deluxe, high class, prestige, swanky, ritzy, top drawer, regal, dignified, tasteful, graceful, aristocratic, respectable, reputable`,
  },
  cheap: {
    name: 'isnt expensive, isnt too expensive, is not expensive, is not too expensive, not pricey, not overpriced, not too expensive, not expensive, as cheap as possible, cheapest possible, nothing expensive, inexpensive name, low priced, reasonably priced, fairly priced, good deal, bargain price, dirt cheap, super cheap, cheap as chips, wont break the bank, not break the bank, on a budget, on a tight budget, doesnt cost much, dont cost much, not cost much, good value',
    anything:
      'cheap, cheaper, cheapest, affordable, inexpensive, low cost, low price, low budget, budget friendly, bargain, discount, discounted, budget',
  },
  descriptive: {
    name: 'keyword rich, emd, exact match domain, keyword, keywords, exact match, seo friendly, seo, descriptive, self explanatory, generic keyword, says what it does, real words, real word, dictionary word, dictionary words, not made up, no made up words, no made up, no invented words, search friendly, exact keyword, exact keywords, exact match keyword, exact match keywords, max two words, max 2 words, two words max, at most two words, one or two words, up to two words',
    anything: 'generic, clear, straightforward, obvious, plain',
  },
  one_word: {
    name: 'one word, one worder, single word, 1 word, one word only, single word only, just one word, only one word, single words, one words, one dictionary word, single dictionary word',
    anything: '',
  },
};

/** Single words for wishes that can describe anything. */
export const STYLE_WORDS: ReadonlySet<string> = new Set(
  entriesOf('anything')
    .map(([phrase]) => phrase)
    .filter((phrase) => !phrase.includes(' ')),
);

const OF_NAMES = wishTable('name');
const OF_ANYTHING = wishTable('anything');
/** Only names have a sound: `modern sounding`, `sounds expensive`. */
const OF_SOUND = phraseTable(
  entriesOf('anything').flatMap(([phrase, wish]) =>
    [`${phrase} sounding`, `sounds ${phrase}`, `sound ${phrase}`, `sounding ${phrase}`].map(
      (said) => [said, wish] as const,
    ),
  ),
);

function wishTable(of: 'name' | 'anything') {
  return phraseTable(entriesOf(of));
}

function entriesOf(of: 'name' | 'anything'): (readonly [phrase: string, wish: Wish])[] {
  return Object.entries(PHRASES).flatMap(([wish, said]) =>
    phrasesOf(said[of]).map((phrase) => [phrase, wish as Wish] as const),
  );
}

/** Returns a wish that can only describe a name. */
function sureWishAt(tokens: readonly QueryToken[], at: number) {
  return OF_NAMES.at(tokens, at) ?? OF_SOUND.at(tokens, at) ?? EASY.at(tokens, at);
}

/** `easy to spell`, `easy to spell and remember`: easy to say, hear and type. */
const EASY = phraseTable(
  ['say', 'pronounce', 'spell', 'remember', 'type', 'read', 'recall'].flatMap((verb, _, verbs) =>
    [verb, ...verbs.flatMap((other) => [`${verb} and ${other}`, `${verb} or ${other}`])].map(
      (said) => [`easy to ${said}`, 'brandable' as Wish] as const,
    ),
  ),
);

/** Words for a name, which wishes describe. */
export const NAME_NOUNS = phrases(
  `name, names, naming, domain, domains, domain name, domain names, brand name, brand names, brand, brands, business name, business names, company name,
   company names, startup name, startup names, store name, shop name, product name, app name, label, url, web address, website name, site name, names for,
   branding, brand identity, dot`,
);
/** Words before a wish at the end of a clause: "a name that is short", "something elegant". */
const OF_THE_NAME = phrases(
  `name, names, domain, domains, something, anything, is, are, be, sound, sounds, sounding, feel, feels, looks, look, very, really, super, quite, pretty,
   somewhat, more, rather, it, nice, make it, and, or, but`,
);
const BETWEEN_WISHES = phrases(
  'and, or, but, yet, very, really, super, quite, good, nice, great, sounding, more',
);
const ADVERB = phrases(
  'very, really, super, quite, extremely, rather, more, fairly, pretty, as, so',
);
/** The maximum number of words between a wish and the name it describes: "short coffee shop domain". */
const PHRASE_WORDS = 3;
/** Wishes that describe a whole phrase up to its last word; others describe the next word. */
const OF_WHOLE_PHRASE = new Set<Wish>(['short', 'cheap', 'premium']);

/** Recognizes a wish about the name, with an adverb before it. */
export function recognizeWish(context: QueryContext, at: number): Claim | undefined {
  const { tokens } = context;
  const start = ADVERB.at(tokens, at)?.end ?? at;
  const sure = sureWishAt(tokens, start);
  if (sure) return { end: sure.end, meaning: meaningOfWish(tokens, sure) };
  const said = OF_ANYTHING.at(tokens, start);
  // "budget: $500"
  if (!said || tokens[said.end]?.text === ':' || !describesName(context, at, said.end, said.value))
    return undefined;
  return { end: said.end, meaning: meaningOfWish(tokens, said) };
}

/**
 * Returns what a wish means. "One word" is both a limit and a wish, which ranks real words above made-up ones.
 */
export function meaningOfWish(
  tokens: readonly QueryToken[],
  { end, value }: { end: number; value: Wish },
): PhraseMeaning {
  return {
    wishes: [value],
    // "One word at a time" is not a limit.
    ...(value === 'one_word' &&
      (tokens[end]?.word === 'for' || isSaidOfName(tokens, end)) && { words: 1 }),
  };
}

/** Returns whether the phrase before `at` describes the name: a name, a suffix or nothing follows, not a topic. */
export function isSaidOfName(tokens: readonly QueryToken[], at: number): boolean {
  return (
    tokens[at]?.kind !== 'word' ||
    NAME_NOUNS.at(tokens, at) !== undefined ||
    suffixListAt(tokens, at) !== undefined
  );
}

/** Words that begin another limit. */
const GOING_ON =
  /^(under|below|over|above|max|min|less|up|between|starting|beginning|ending|but|or|not|no|without|please|only|too|priced|costing|that|which|long|brandable|cheap|short|premium|numeric|lucky|palindrom\w*|pronounceable|combos?|repeating)$/;

/** Like {@link isSaidOfName}, but also true before a word that continues the query: "for", "under". */
export function isOfName(tokens: readonly QueryToken[], at: number): boolean {
  const word = tokens[at]?.word ?? '';
  return isSaidOfName(tokens, at) || STOP_WORDS.has(word) || GOING_ON.test(word);
}

const OFFER_WORDS = phrases(
  'short, shorter, premium, cheap, cheaper, cheapest, affordable, inexpensive, expensive, most expensive',
);

/** Returns whether all words describe an offer rather than a business. */
export function isSaidOfOffers(tokens: readonly QueryToken[]): boolean {
  return OFFER_WORDS.at(tokens, 0)?.end === tokens.length;
}

/** Returns a wish that could also describe a topic. Use it when there is no topic. */
export function possibleWishAt(
  tokens: readonly QueryToken[],
  at: number,
): { end: number; value: Wish } | undefined {
  return sureWishAt(tokens, at) ?? OF_ANYTHING.at(tokens, at);
}

function describesName(context: QueryContext, at: number, end: number, wish: Wish): boolean {
  const { tokens } = context;
  const next = afterWishes(tokens, end);
  if (NAME_NOUNS.at(tokens, next)) return true;
  if (suffixListAt(tokens, next, ({ tld }) => tld === 'com' || tld === 'io')) return true;
  if (OF_WHOLE_PHRASE.has(wish) && isSaidOfPhrase(tokens, next)) return true;
  const closes = isBoundary(tokens, next) || STOP_WORDS.has(tokens[next]?.word ?? '');
  if (!closes || at === 0) return false;
  // "a name for a bakery, short" is a clause of its own.
  const isClause = tokens[at - 1]?.text === ',' && isBoundary(tokens, next);
  return isClause || context.isClaimed(at - 1) || isOfTheName(tokens, at - 1);
}

function isOfTheName(tokens: readonly QueryToken[], before: number): boolean {
  return OF_THE_NAME.at(tokens, before) !== undefined && before > 0
    ? true
    : /^(name|names|something|anything)$/.test(tokens[before]?.word ?? '');
}

/** Skips further wishes and the words between them: "short, catchy and elegant name". */
function afterWishes(tokens: readonly QueryToken[], at: number): number {
  let end = at;
  for (;;) {
    let next = end;
    while (BETWEEN_WISHES.at(tokens, next) || tokens[next]?.text === ',') next += 1;
    const wish = possibleWishAt(tokens, next);
    if (!wish) {
      const isSounding = tokens[end]?.word === 'sounding';
      return isSounding ? end + 1 : end;
    }
    ({ end } = wish);
  }
}

function isSaidOfPhrase(tokens: readonly QueryToken[], at: number): boolean {
  for (let next = at; next <= at + PHRASE_WORDS; next += 1) {
    const token = tokens[next];
    if (token?.kind === 'suffix') return next > at;
    if (token?.kind !== 'word') return false;
    if (/^(domains?|names?|brands?)$/.test(token.word)) return true;
    if (STOP_WORDS.has(token.word)) return false;
  }
  return false;
}
