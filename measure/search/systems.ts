import { stem } from '../../shared/market/search/language/stem.ts';
import { meaningOfName, nearness } from '../../shared/market/search/meaning/meaning.ts';
import { parseQuery } from '../../shared/market/search/parse-query.ts';
import { RANKING_WEIGHTS } from '../../shared/market/search/ranking-weights.ts';
import { type SearchInput, searchListings } from '../../shared/market/search/search-listings.ts';
import { SEARCH_PARTS } from '../../shared/market/search/search-parts.ts';
import type { TestRuntime } from '../../test/support/runtime.ts';

/** A listing that a system shows. */
export interface Hit {
  /** As people write it. */
  domain: string;
  /** How sure the system is, from 0 to 1, if it says. */
  score?: number;
}

/** A way to answer a query, best first. */
export type System = (query: string) => Promise<Hit[]>;

/** Systems by name; each is a column of the tables. */
export type Systems = Record<string, System> & { ours: System };

/** Where the listings are that the evaluations speak of. */
export const ENVIRONMENT = 'LIVE';

/** How our search can be asked to work in another way than it does for buyers. */
type EngineOptions = Omit<SearchInput, 'environment' | 'query'>;

/** Our search without one of its parts, or with a part alone, by the name of its column. */
const VARIANTS: Record<string, EngineOptions> = Object.fromEntries(
  SEARCH_PARTS.map((part) => [`no ${part}`, { without: [part] }]),
);

/**
 * Our search and what it is compared with (`names`, or all), over the listings that the database holds now.
 * @throws Error when there is no system of such a name
 */
export async function prepareSystems(
  runtime: TestRuntime,
  names?: readonly string[],
): Promise<Systems> {
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
  const ask = async (sql: string, query: string): Promise<Hit[]> => {
    const { rows } = await db.knex.raw<{ rows: Hit[] }>(sql, { query });
    return rows;
  };
  const engine =
    (options: EngineOptions): System =>
    async (query) => {
      const results = await searchListings(runtime, {
        ...options,
        environment: ENVIRONMENT,
        query,
      });
      return results.map(({ domainUnicode, score }) => ({ domain: domainUnicode, score }));
    };
  const systems: Systems = {
    ours: engine({}),
    'full-text AND': (query) => ask(ALL_WORDS, query),
    'full-text OR': (query) => ask(ANY_WORD, query),
    trigrams: (query) => ask(TRIGRAMS, query),
    'meaning alone': await meaningAlone(runtime),
    ...Object.fromEntries(
      Object.entries(VARIANTS).map(([name, options]) => [name, engine(options)]),
    ),
  };
  return names ? chosen(systems, names) : systems;
}

function chosen(systems: Systems, names: readonly string[]): Systems {
  const pick = (name: string): [string, System] => {
    const system = systems[name];
    if (!system) throw new Error(`there is no system ${name}: ${Object.keys(systems).join(', ')}`);
    return [name, system];
  };
  return { ours: systems.ours, ...Object.fromEntries(names.map(pick)) };
}

/** The names that are nearest in meaning, from a cosine on that says something; every name is compared. */
async function meaningAlone({ db }: TestRuntime): Promise<System> {
  const rows = await db
    .knex('search_documents as d')
    .join('listings as l', 'l.id', 'd.listing_id')
    .where('d.environment', ENVIRONMENT)
    .select('l.domain_unicode as domain', 'd.label_words', 'd.tags', 'd.about');
  const names = rows.flatMap(({ domain, label_words, tags, about }) => {
    const stems = label_words.split(' ').map(stem);
    const meaning = meaningOfName(stems, tags.split(' '), about.split(' '));
    return meaning ? [{ domain, meaning }] : [];
  });
  return async (query) => {
    const asked = parseQuery(query).meaning;
    if (!asked) return [];
    return names
      .map(({ domain, meaning }) => ({ domain, score: nearness(asked, meaning) }))
      .filter(({ score }) => score >= RANKING_WEIGHTS.meaning.from)
      .sort((a, b) => b.score - a.score)
      .slice(0, 5);
  };
}

const ALL_WORDS = `
  with asked as (select plainto_tsquery('english', :query) as all_words)
  select domain from plain_docs, asked where words @@ all_words
  order by ts_rank(words, all_words) desc, domain limit 5`;

/** Names with all words first, then names with any; each group by ts_rank. */
const ANY_WORD = `
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
