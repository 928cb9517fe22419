import { seedInventory } from '../../db/seeds/inventory.ts';
import { searchListings } from '../../shared/market/search/search-listings.ts';
import type { TestRuntime } from '../support/runtime.ts';

/** A way to answer a query: domains as people write them, best first. */
export type System = (query: string) => Promise<string[]>;

/** The half of the demo inventory that the labels speak of. */
export const ENVIRONMENT = 'LIVE';

export interface Systems {
  engine: System;
  fullText: System;
  trigrams: System;
}

/** Puts the demo inventory into an empty database, and gives the engine and what it is compared with. */
export async function prepareSystems(runtime: TestRuntime): Promise<Systems> {
  await seedInventory(runtime);
  const { db } = runtime;
  await db.knex.raw(`
    create table plain_docs as
      select domain_unicode as domain,
        regexp_replace(domain_unicode, '[.].*', '') as label,
        to_tsvector('english', concat_ws(' ', domain_unicode,
          regexp_replace(domain_unicode, '[.].*', ''), array_to_string(keywords, ' '), description))
          as words
      from listings where environment = '${ENVIRONMENT}' and status = 'listed';
    create index on plain_docs using gin (words);
    create index on plain_docs using gin (label gin_trgm_ops, domain gin_trgm_ops);
    analyze plain_docs`);
  const ask = async (sql: string, query: string): Promise<string[]> => {
    const { rows } = await db.knex.raw<{ rows: { domain: string }[] }>(sql, { query });
    return rows.map(({ domain }) => domain);
  };
  return {
    engine: async (query) =>
      (await searchListings(runtime, { environment: ENVIRONMENT, query })).map(
        ({ domainUnicode }) => domainUnicode,
      ),
    fullText: (query) => ask(FULL_TEXT, query),
    trigrams: (query) => ask(TRIGRAMS, query),
  };
}

/** Those with all words first, then those with any; within both by ts_rank. */
const FULL_TEXT = `
  with asked as (
    select plainto_tsquery('english', :query) as all_words,
      replace(plainto_tsquery('english', :query)::text, '&', '|')::tsquery as any_word
  )
  select domain from plain_docs, asked where words @@ any_word
  order by words @@ all_words desc, ts_rank(words, any_word) desc, domain limit 5`;

/** The labels that are spelled most like the query, from a similarity of 0.3 (Postgres's own threshold). */
const TRIGRAMS = `
  select domain from plain_docs
  where label % :query or domain % :query
  order by greatest(similarity(label, :query), similarity(domain, :query)) desc, domain limit 5`;
