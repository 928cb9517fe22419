import { STOP_WORDS } from '../language/text-analysis.ts';
import { phrases } from './phrase-table.ts';
import { isBoundary } from './quantities.ts';
import { asSuffix, type QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext } from './recognizer.ts';

/** Suffixes that buyers name without a dot. All others are read as words first: app, shop, coffee. */
const SPOKEN = new Set('com net org io ai co dev xyz info biz eu uk de'.split(' '));
/** Suffixes with no other meaning, anywhere in a query or at its end. */
const ALWAYS = new Set(['com']);
const AT_THE_END = new Set(['com', 'io']);

const ONLY = phrases(
  'only, just, ideally, preferably, must be, should be, has to be, exclusively, strictly',
);
const SEPARATOR = phrases(
  'or, and, or a, or an, and a, or even, nor, or in, or on, and on, oder, und, ou, et',
);
const SUFFIX_NOUN = phrases(
  'tld, tlds, extension, extensions, suffix, suffixes, domain ending, domain endings, top level domain, domain extension, domain extensions',
);
const DOMAIN_NOUN = phrases('domain, domains, domain name, domain names, name only, names only');
/** Phrases about the suffix before them. */
const WILL_DO = phrases(
  `is fine, is ok, is okay, are fine, works, works for me, work for me, will do, would do, preferred, would be ideal, would be great, would be nice, is best,
   if possible, if you have it, either is fine, please, either, is good, are good, are ok`,
);
const LEAD = phrases('either, a, an');
const ENDING = phrases(
  'ending in, ends in, end in, ending with, ends with, ending on, that end in, that ends in, with ending, tld, tlds, tld :, tld is, extension, extension :, extension is, domain extension, suffix, domain ending',
);

/** A suffix. Without a dot, it could also be a word. */
interface NamedSuffix {
  end: number;
  tld: string;
  isDotted: boolean;
}

/** Recognizes required suffixes: ".io", "dot com", "a .co.uk", ".de or eu", "com only". */
export function recognizeSuffixes(context: QueryContext, at: number): Claim | undefined {
  const { tokens } = context;
  const told = ENDING.at(tokens, at)?.end ?? ONLY.at(tokens, at)?.end ?? at;
  const led = LEAD.at(tokens, told)?.end;
  const start = led !== undefined && tokens[led]?.kind === 'suffix' ? led : told;
  const list = suffixListAt(tokens, start, (first) => isMeant(context, at, start, first));
  return list && { end: list.end, meaning: { tlds: list.tlds } };
}

/**
 * Returns the suffixes listed from `at` on, and the end of the words that belong to them.
 * @param isMeant whether a first one without a dot is meant as a suffix
 */
export function suffixListAt(
  tokens: readonly QueryToken[],
  at: number,
  isMeant: (first: NamedSuffix) => boolean = ({ tld }) => SPOKEN.has(tld),
): { end: number; tlds: string[] } | undefined {
  const first = suffixAt(tokens, at);
  if (!first || !(first.isDotted || isMeant(first))) return undefined;
  const tlds = [first.tld];
  let { end } = first;
  for (;;) {
    const separator = SEPARATOR.at(tokens, end)?.end ?? signAt(tokens, end);
    const next = suffixAt(tokens, separator ?? end);
    // ".com no numbers"
    if (!next || !(next.isDotted || (separator !== undefined && isListed(next.tld)))) break;
    tlds.push(next.tld);
    ({ end } = next);
  }
  for (const table of [SUFFIX_NOUN, DOMAIN_NOUN, ONLY, WILL_DO])
    end = table.at(tokens, end)?.end ?? end;
  return { end, tlds };
}

/** `/`, `,`, `|` or `&` between suffixes; an "or" may follow. */
function signAt(tokens: readonly QueryToken[], at: number): number | undefined {
  if (!/^[,/|&]$/.test(tokens[at]?.text ?? '')) return undefined;
  return SEPARATOR.at(tokens, at + 1)?.end ?? at + 1;
}

/** After another suffix, short words are suffixes, too: ".de or eu". */
function isListed(tld: string): boolean {
  return SPOKEN.has(tld) || tld.length === 2;
}

function suffixAt(tokens: readonly QueryToken[], at: number): NamedSuffix | undefined {
  const token = tokens[at];
  if (!token) return undefined;
  if (token.kind === 'suffix') return { end: at + 1, tld: token.word, isDotted: true };
  if (token.text === '*' && tokens[at + 1]?.kind === 'suffix') return suffixAt(tokens, at + 1);
  if (token.kind !== 'word') return undefined;
  if (token.word === 'dotcom' || token.word === 'dotcoms') {
    return { end: at + 1, tld: 'com', isDotted: true };
  }
  if (token.word === 'dot') return spokenSuffix(tokens, at);
  // "a" in "a com" is not a suffix, and neither are "in", "it" and "no".
  if (token.word !== 'com' && (STOP_WORDS.has(token.word) || token.word === 'no')) return undefined;
  const tld = asSuffix(token.word);
  return tld === undefined ? undefined : { end: at + 1, tld, isDotted: false };
}

/** `dot com`, `dot co dot uk`. */
function spokenSuffix(tokens: readonly QueryToken[], at: number): NamedSuffix | undefined {
  const [first, dot, second] = [tokens[at + 1], tokens[at + 2], tokens[at + 3]];
  if (!first) return undefined;
  if (dot?.word === 'dot' && second) {
    const both = asSuffix(`${first.word}.${second.word}`);
    if (both !== undefined) return { end: at + 4, tld: both, isDotted: true };
  }
  const tld = asSuffix(first.word);
  return tld === undefined ? undefined : { end: at + 2, tld, isDotted: true };
}

/** Returns whether a suffix without a dot is meant as one, from the words around it. */
function isMeant(
  context: QueryContext,
  at: number,
  start: number,
  { tld, end }: NamedSuffix,
): boolean {
  const { tokens } = context;
  // "ends in ai" is about letters.
  const isLetters = tld === 'ai' || tld === 'co';
  if (isLetters && tokens.slice(at, start).some(({ word }) => word.startsWith('end'))) return false;
  const isFree = at === 0 || context.isClaimed(at - 1) || isLead(tokens[at - 1]);
  const next = suffixAt(tokens, SEPARATOR.at(tokens, end)?.end ?? signAt(tokens, end) ?? end);
  if (ALWAYS.has(tld)) return true;
  // `io or ai`, `net/org`
  if (SPOKEN.has(tld) && next && (next.isDotted || SPOKEN.has(next.tld))) return true;
  if (AT_THE_END.has(tld) && (isBoundary(tokens, end) || ONLY.at(tokens, end))) return true;
  if (SUFFIX_NOUN.at(tokens, end)) return isFree;
  if (!SPOKEN.has(tld) || !isFree) return false;
  if (DOMAIN_NOUN.at(tokens, end) || ONLY.at(tokens, end)) return true;
  // `four letter ai`, `only net`
  return isBoundary(tokens, end) && (start > at || (at > 0 && context.isClaimed(at - 1)));
}

/** Returns whether a token can come before a suffix without being part of a topic. */
function isLead(token: QueryToken | undefined): boolean {
  return token === undefined || token.kind === 'sign' || STOP_WORDS.has(token.word);
}
