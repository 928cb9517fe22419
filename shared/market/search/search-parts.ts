import type { ParsedQuery, QueryTerm } from './parse-query.ts';

/** Ways in which a name may answer a word other than by having it; an evaluation leaves them out one by one. */
export const SEARCH_PARTS = [
  'kinds of business',
  'thesaurus',
  'near words',
  'whole meaning',
  'spelling',
] as const;
export type SearchPart = (typeof SEARCH_PARTS)[number];

const WITHOUT: Record<SearchPart, (query: ParsedQuery) => ParsedQuery> = {
  'kinds of business': (query) => ({ ...query, kinds: [] }),
  thesaurus: inWords({ groups: new Map() }),
  'near words': inWords({ neighbors: [], meant: null }),
  'whole meaning': (query) => ({ ...query, meaning: null }),
  spelling: inWords({ repairs: [] }),
};

/** The query as it would be without these parts of search. */
export function withoutParts(query: ParsedQuery, parts: readonly SearchPart[]): ParsedQuery {
  return parts.reduce((rest, part) => WITHOUT[part](rest), query);
}

function inWords(changed: Partial<QueryTerm>): (query: ParsedQuery) => ParsedQuery {
  return (query) => ({ ...query, words: query.words.map((word) => ({ ...word, ...changed })) });
}
