import { setImmediate } from 'node:timers/promises';
import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';
import type { GuideLibrary } from './guide-library.ts';
import { GUIDES } from './guides.ts';
import { readSections } from './markdown.ts';

/** A part of a text, and whether it matches a searched word. */
export interface ExcerptPart {
  text: string;
  found: boolean;
}

/** A section of a guide that a search found. */
export interface FoundSection {
  /** Its path, with the anchor of its heading. */
  path: string;
  /** The name of its page. */
  page: string;
  heading: readonly ExcerptPart[];
  /** The part of its text that best matches the search. */
  excerpt: readonly ExcerptPart[];
}

interface Entry {
  id: number;
  path: string;
  page: string;
  heading: string;
  text: string;
}

/** The maximum length of a query; the rest is ignored. */
export const MAX_SEARCH_LENGTH = 100;
const MAX_RESULTS = 20;
/** The maximum number of results from one page, so that a long page does not hide the others. */
const MAX_PER_PAGE = 3;
/** The length of an excerpt, in words. */
const EXCERPT_WORDS = 32;
const WORDS_BEFORE = 8;

const WORD = /[\p{L}\p{N}]+/gu;
/** Common words of questions, which do not distinguish sections. */
const STOP_WORDS = new Set(
  'a an and are be can do does for from how i in is it me my of on or the to we what when where which why with you'.split(
    ' ',
  ),
);

/** Returns the search terms of a word: the word itself, for typos and prefixes, and its stem, for its other forms. */
function termsOf(word: string): string[] {
  const lower = word.toLowerCase();
  return STOP_WORDS.has(lower) ? [] : [...new Set([lower, stemmer(lower)])];
}

/**
 * Creates a search for sections of the guides by words, including prefixes, inflected forms and small typos. A section
 * must contain all words; if none does, one word is enough. Reads page by page, so that a starting process can serve
 * requests meanwhile.
 */
export async function createDocsSearch(
  library: GuideLibrary,
): Promise<(query: string) => FoundSection[]> {
  const entries: Entry[] = [];
  const index = new MiniSearch<Entry>({
    fields: ['heading', 'page', 'text'],
    tokenize: (text) => text.match(WORD) ?? [],
    processTerm: termsOf,
    searchOptions: {
      processTerm: (word) => termsOf(word).at(-1),
      boost: { heading: 3, page: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      weights: { prefix: 0.5, fuzzy: 0.2 },
    },
  });
  for (const guide of GUIDES) {
    await setImmediate();
    for (const { id, heading, text } of readSections(library.markdown(guide))) {
      const path = `/docs/${guide.slug}${id && `#${id}`}`;
      const entry = { id: entries.length, path, page: guide.name, heading, text };
      entries.push(entry);
      index.add(entry);
    }
  }
  return (query) => {
    const words = query.slice(0, MAX_SEARCH_LENGTH);
    const all = index.search(words, { combineWith: 'AND' });
    const matches = all.length > 0 ? all : index.search(words);
    const perPage = new Map<string, number>();
    return matches
      .flatMap(({ id, terms }) => {
        const entry = entries[id];
        return entry ? [{ entry, terms: new Set(terms) }] : [];
      })
      .filter(({ entry: { page } }) => {
        const before = perPage.get(page) ?? 0;
        perPage.set(page, before + 1);
        return before < MAX_PER_PAGE;
      })
      .slice(0, MAX_RESULTS)
      .map(({ entry, terms }) => ({
        path: entry.path,
        page: entry.page,
        heading: markFound(entry.heading, terms),
        excerpt: excerptOf(entry.text, terms),
      }));
  };
}

/** Returns an excerpt that starts shortly before the place where the most different terms are close together. */
function excerptOf(text: string, terms: ReadonlySet<string>): ExcerptPart[] {
  const words = [...text.matchAll(WORD)];
  const hits = words.flatMap(([word], at) => {
    const term = termsOf(word).findLast((each) => terms.has(each));
    return term === undefined ? [] : [{ at, term }];
  });
  const around = hits.map(({ at }) => {
    const near = hits.filter((other) => other.at >= at && other.at < at + EXCERPT_WORDS);
    return { at, terms: new Set(near.map(({ term }) => term)).size };
  });
  const [best] = around.sort((a, b) => b.terms - a.terms || a.at - b.at);
  const start = Math.max(0, (best?.at ?? 0) - WORDS_BEFORE);
  const first = words[start];
  const last = words[start + EXCERPT_WORDS];
  const from = start === 0 ? 0 : (first?.index ?? 0);
  const parts = markFound(text.slice(from, last?.index).trim(), terms);
  const dots = (more: boolean): ExcerptPart[] => (more ? [{ text: '…', found: false }] : []);
  return [...dots(start > 0), ...parts, ...dots(last !== undefined)];
}

function markFound(text: string, terms: ReadonlySet<string>): ExcerptPart[] {
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, found: termsOf(part).some((term) => terms.has(term)) }));
}
