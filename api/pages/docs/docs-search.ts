import { setImmediate } from 'node:timers/promises';
import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';
import type { GuideLibrary } from './guide-library.ts';
import { GUIDES } from './guides.ts';
import { readSections } from './markdown.ts';

/** A part of a text, and whether it is a word that was searched for. */
export interface ExcerptPart {
  text: string;
  found: boolean;
}

/** A section of a guide that a search found. */
export interface FoundSection {
  /** Its address, with the anchor of its heading. */
  path: string;
  /** The name of its page. */
  page: string;
  heading: readonly ExcerptPart[];
  /** What of its text is nearest to the search. */
  excerpt: readonly ExcerptPart[];
}

interface Entry {
  id: number;
  path: string;
  page: string;
  heading: string;
  text: string;
}

/** The longest query that is read; the rest is ignored. */
export const MAX_SEARCH_LENGTH = 100;
const MAX_RESULTS = 20;
/** The most results from one page, so that a long page does not hide the others. */
const MAX_PER_PAGE = 3;
/** In words. */
const EXCERPT_WORDS = 32;
const WORDS_BEFORE = 8;

const WORD = /[\p{L}\p{N}]+/gu;
/** Words of questions, which tell no section from another. */
const STOP_WORDS = new Set(
  'a an and are be can do does for from how i in is it me my of on or the to we what when where which why with you'.split(
    ' ',
  ),
);

/** What a word is found by: itself, for typos and beginnings, and its stem, for its other forms. */
function termsOf(word: string): string[] {
  const lower = word.toLowerCase();
  return STOP_WORDS.has(lower) ? [] : [...new Set([lower, stemmer(lower)])];
}

/**
 * Finds sections of the guides by words: their beginnings, their forms and small typos, too. All words have to
 * be in a section; if they are in none, one of them has to. Reads page by page, so that a process that starts can
 * answer meanwhile.
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

/** Some words of a text, from a little before where the most different terms are near each other. */
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
