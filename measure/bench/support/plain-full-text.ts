import type { TestRuntime } from '../../../test/support/runtime.ts';

/** Prepares the baseline of search: Postgres full-text search over the same texts, with its own index. */
export async function preparePlainFullText({ db }: TestRuntime): Promise<void> {
  await db.knex.raw(`
    set statement_timeout = 0;
    create table plain_docs as select l.id, to_tsvector('english', concat_ws(' ', d.label_words,
        array_to_string(l.keywords, ' '), l.category, l.description)) as words
      from listings l join search_documents_live d on d.listing_id = l.id;
    create index plain_docs_words on plain_docs using gin (words) with (fastupdate = off);
    analyze plain_docs;
    reset statement_timeout`);
}

/** All words of the query must match; the best five by `ts_rank`. */
export const PLAIN_SEARCH = `select l.domain from plain_docs d join listings l on l.id = d.id,
  plainto_tsquery('english', $1) asked
  where d.words @@ asked order by ts_rank(d.words, asked) desc limit 5`;
