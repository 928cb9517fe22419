import { toUnicode } from 'tr46';
import { relatedWords } from './concepts.ts';
import { foldText, STOP_WORDS, wordsOf } from './text.ts';

/** A search as the engine sees it. */
export interface ParsedQuery {
  /** The words that count, in order, without repetition. */
  words: readonly string[];
  /** Per word, the words of near meaning. */
  related: ReadonlyMap<string, readonly string[]>;
  /** All words run together, as a label would be. */
  joined: string;
  /** Set when the query is a domain name: only this one is an exact hit. */
  domain: { label: string; tld: string } | null;
}

const MAX_WORDS = 8;

/** Reads any text as a query; it may come out without words, and then matches nothing. */
export function parseQuery(text: string): ParsedQuery {
  const domain = asDomain(text);
  const all = [...new Set(wordsOf(domain ? domain.label : text))];
  const meaningful = all.filter((word) => !STOP_WORDS.has(word));
  const words = (meaningful.length > 0 ? meaningful : all).slice(0, MAX_WORDS);
  return {
    words,
    related: new Map(words.map((word) => [word, relatedWords(word)])),
    joined: domain ? foldText(domain.label).replaceAll(' ', '') : all.slice(0, MAX_WORDS).join(''),
    domain,
  };
}

/** `https://www.neonwallet.com/` and `neonwallet.com` name a domain; `wallet. com` and `e.g.` do not. */
function asDomain(text: string): ParsedQuery['domain'] {
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[/?#].*$/s, '')
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  if (!/^[^\s.]+(\.[^\s.]{2,})+$/u.test(host)) return null;
  const { domain, error } = toUnicode(host, { useSTD3ASCIIRules: true, checkHyphens: true });
  if (error) return null;
  const dot = domain.indexOf('.');
  return { label: domain.slice(0, dot), tld: domain.slice(dot + 1) };
}
