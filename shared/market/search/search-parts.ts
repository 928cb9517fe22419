import type { QueryTerm } from './parse-query.ts';

/** Ways to match a word other than literally; an evaluation turns them off one by one. */
export const SEARCH_PARTS = ['kinds of business', 'thesaurus', 'encoder', 'spelling'] as const;
export type SearchPart = (typeof SEARCH_PARTS)[number];

const WITHOUT: Partial<Record<SearchPart, Partial<QueryTerm>>> = {
  thesaurus: { groups: new Map() },
  spelling: { repairs: [] },
};

/** Returns a query word without these parts of search. */
export function withoutParts(word: QueryTerm, parts: readonly SearchPart[]): QueryTerm {
  return Object.assign({}, word, ...parts.map((part) => WITHOUT[part]));
}
