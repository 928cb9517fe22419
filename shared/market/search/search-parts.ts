import type { QueryTerm } from './parse-query.ts';

/** Ways in which a name may answer a word other than by having it; an evaluation leaves them out one by one. */
export const SEARCH_PARTS = ['kinds of business', 'thesaurus', 'encoder', 'spelling'] as const;
export type SearchPart = (typeof SEARCH_PARTS)[number];

const WITHOUT: Partial<Record<SearchPart, Partial<QueryTerm>>> = {
  thesaurus: { groups: new Map() },
  spelling: { repairs: [] },
};

/** A word of a query as it would be without these parts of search. */
export function withoutParts(word: QueryTerm, parts: readonly SearchPart[]): QueryTerm {
  return Object.assign({}, word, ...parts.map((part) => WITHOUT[part]));
}
