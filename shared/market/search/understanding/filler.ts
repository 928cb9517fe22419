import { STOP_WORDS } from '../language/text-analysis.ts';
import { phrases, phrasesOf, phraseTable } from './phrase-table.ts';
import type { QueryToken } from './query-tokens.ts';

/** Words of a request that are not part of the topic, in addition to the stop words. */
const FILLER = new Set(
  `please pls plz thanks thank thx cheers hi hello hey find buy show suggest give help ideas suggestions idea suggestion available preferably ideally maybe perhaps priced
   costing but ok okay purchase searching search want wants wanted im id ive were theres short-list recommend recommendations options option preferred
   nothing similar whats thats wheres hows must may might only just really also possibly currently today sale new under called yet either got anything für pour para sth smth smthg dont doesnt cant`.split(
    /\s+/,
  ),
);
/** Without one of these, filler words may be part of a name: "the home depot", "need for speed". */
const ASKING = phrases(
  `name, names, naming, domain, domains, domain name, i want, i need, we need, we want, im looking, i am looking, looking for, searching for, search for,
   want a, need a, something for, anything for, something like, something with, something that, something to do with, anything to do with, find me, show me, give me, suggest,
   can you, could you, ideas for, suggestions for, please, i would like, id like, we are looking, help me find, name ideas`,
);
const NAME_NOUN = /^(names?|naming|domains?|ideas|suggestions|please|thanks)$/;
/** After a noun, these introduce a topic. */
const RELATION = /^(for|to|of|about|with|that|which|in|like|on|related|around|as|is|are|,|:)$/;
/** Generic words for what a name is for. */
const ASKERS = new Set(
  `company business startup brand project venture idea client product firm thing things one branding online something anything
   websites website site identity long anyone feel ideal all every everything`.split(/\s+/),
);

/** What people ask about a domain: "how much is neonwallet.com", "is it available". */
const OF_A_DOMAIN = new Set(
  `how much does do is cost costs price prices value worth who owns owned owner available availability taken free still sell sold check`.split(
    ' ',
  ),
);

/** Returns the only domain of a query that just asks about it. */
export function domainAskedFor(tokens: readonly QueryToken[]): QueryToken | undefined {
  const domains = tokens.filter(({ kind }) => kind === 'domain');
  const others = tokens.filter(({ kind }) => kind !== 'domain');
  return domains.length === 1 &&
    others.length > 0 &&
    others.every((token) => isFiller(token) || OF_A_DOMAIN.has(token.word))
    ? domains[0]
    : undefined;
}

/** Phrases for a name: "brand name for". */
const NAMES_OF = phraseTable([
  ['brand for', true],
  ['brands for', true],
  ...phrasesOf('brand, business, company, startup, product, store, shop, app').flatMap((owner) =>
    ['name', 'names', 'name ideas', 'names ideas'].map(
      (noun) => [`${owner} ${noun}`, true] as const,
    ),
  ),
]);

/** Returns the number of filler tokens at the beginning. */
export function countFiller(tokens: readonly QueryToken[]): number {
  let end = 0;
  for (;;) {
    const token = tokens[end];
    const next = NAMES_OF.at(tokens, end)?.end ?? (token && isFiller(token) ? end + 1 : end);
    if (next === end) return end;
    end = next;
  }
}

/** Returns whether a token says nothing about the topic. */
function isFiller(token: QueryToken): boolean {
  if (token.kind === 'sign') return /^[\p{P}\p{Z}\p{Cc}\p{Cf}<>=+|~^`]$/u.test(token.text);
  return token.kind === 'word' && (STOP_WORDS.has(token.word) || FILLER.has(token.word));
}

/** Returns whether a word belongs to the request or the asker, not to the topic. */
export function isSmallTalk(word: string): boolean {
  return FILLER.has(word) || ASKERS.has(word);
}

/** Returns whether a topic only says that someone wants a name. */
export function isAskerOnly(tokens: readonly QueryToken[]): boolean {
  return tokens.every((token) => isFiller(token) || ASKERS.has(token.word));
}

/** Returns the number of tokens at the beginning that only ask: "I want a name for". */
export function leadingFiller(tokens: readonly QueryToken[]): number {
  const end = countFiller(tokens);
  if (end === tokens.length) return 0;
  const asks = tokens.slice(0, end).some((_, at) => ASKING.at(tokens.slice(0, end), at));
  const last = tokens[end - 1];
  // "domain broker" and "name tags" are topics.
  return asks && last && !NAME_NOUN.test(last.word) ? end : 0;
}

/**
 * Returns the number of tokens at the end that only ask: "names please", "domain name".
 * @param isAsked whether another part of the query asks for a name
 */
export function trailingFiller(tokens: readonly QueryToken[], isAsked: boolean): number {
  const start = tokens.length - fillerAtEnd(tokens);
  if (start === 0) return 0;
  const rest = tokens.slice(start);
  const asks = isAsked
    ? rest.some(({ kind }) => kind === 'word')
    : rest.some(
        ({ word }) => NAME_NOUN.test(word) && (word !== 'name' || rest.length > 1 || start > 1),
      );
  return asks && !RELATION.test(rest[0]?.word ?? '') ? rest.length : 0;
}

/** Returns the number of filler tokens at the end. */
export function fillerAtEnd(tokens: readonly QueryToken[]): number {
  let start = tokens.length;
  while (start > 0 && isFiller(tokens[start - 1] as QueryToken)) start -= 1;
  return tokens.length - start;
}
