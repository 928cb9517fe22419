import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';
import type { Document } from './documents.ts';

type Field = 'label' | 'words' | 'tld' | 'texts';

/** The stop words of Lucene's English analyzer. */
const STOP_WORDS = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
);

/** Searches stems of these fields with BM25 for any word of the query. Returns at most `depth` domains, best first. */
export function createBm25(
  documents: readonly Document[],
  fields: readonly Field[],
): (query: string, depth: number) => string[] {
  const index = new MiniSearch<Document>({
    idField: 'domain',
    fields: [...fields],
    processTerm: (term) => {
      const lower = term.toLowerCase();
      return STOP_WORDS.has(lower) ? null : stemmer(lower);
    },
  });
  index.addAll(documents);
  return (query, depth) =>
    index
      .search(query)
      .slice(0, depth)
      .map(({ id }) => String(id));
}
