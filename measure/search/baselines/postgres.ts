import type { Database } from '../../../shared/messaging/unit-of-work/database.ts';

const DEPTH = 5;

/** Names with all words come first, then names with any of them; both groups are ordered by ts_rank. */
const ANY_WORD = `
  with asked as (
    select plainto_tsquery('english', :query) as all_words,
      replace(plainto_tsquery('english', :query)::text, '&', '|')::tsquery as any_word
  )
  select domain from plain_docs, asked where words @@ any_word
  order by words @@ all_words desc, ts_rank(words, any_word) desc, domain limit ${DEPTH}`;

/** The names spelled most like the query, with a similarity of at least 0.3 (the default threshold of pg_trgm). */
const TRIGRAMS = `
  select domain from plain_docs
  where label % :query or domain % :query
  order by greatest(similarity(label, :query), similarity(domain, :query)) desc, domain limit ${DEPTH}`;

/** Creates the searches that Postgres offers out of the box: full-text search for any word, and trigrams. */
export async function createPostgresSearches(
  { knex }: Pick<Database, 'knex'>,
  environment: string,
): Promise<Record<'fullText' | 'trigrams', (query: string) => Promise<string[]>>> {
  await knex.raw(
    `create table plain_docs as
      select domain_unicode as domain,
        regexp_replace(domain_unicode, '[.].*', '') as label,
        to_tsvector('english', concat_ws(' ', domain_unicode,
          regexp_replace(domain_unicode, '[.].*', ''), array_to_string(keywords, ' '), description))
          as words
      from listings where environment = '${environment}' and status = 'listed';
    create index on plain_docs using gin (words);
    create index on plain_docs using gin (label gin_trgm_ops, domain gin_trgm_ops);
    analyze plain_docs`,
  );
  const ask = (sql: string) => async (query: string) => {
    const { rows } = await knex.raw<{ rows: { domain: string }[] }>(sql, { query });
    return rows.map(({ domain }) => domain);
  };
  return { fullText: ask(ANY_WORD), trigrams: ask(TRIGRAMS) };
}
