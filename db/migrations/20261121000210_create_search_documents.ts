import type { Knex } from 'knex';

/**
 * What search reads: one row per listed domain, gone when the domain is sold or delisted. Partitioned by
 * environment, so that the small one never pays for the large one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create extension if not exists pg_trgm;

    -- label has letters and digits only; label_words is the same label cut into words; keywords holds the
    -- owner's keywords, the category and the suffix. All are lower case, without accents and punctuation.
    create table search_docs (
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      listing_id bigint not null references listings (id) on delete cascade,
      label text not null,
      label_words text not null,
      keywords text not null,
      description text not null,
      terms tsvector not null generated always as
        (to_tsvector('english', label_words || ' ' || keywords || ' ' || description)) stored,
      spelling text not null generated always as
        (label || ' ' || label_words || ' ' || keywords) stored,
      primary key (environment, listing_id)
    ) partition by list (environment);
    create table search_docs_sandbox partition of search_docs for values in ('SANDBOX');
    create table search_docs_live partition of search_docs for values in ('LIVE');

    create index search_docs_label on search_docs (label collate "C");
    -- No pending list: a search right after an import would have to read all of it.
    create index search_docs_terms on search_docs using gin (terms) with (fastupdate = off);
    create index search_docs_spelling on search_docs using gin (spelling gin_trgm_ops)
      with (fastupdate = off);

    -- Documents that hold something spelled like the text. A function, because the planner takes the
    -- comparison for cheap and would read a small partition from end to end, at a hundred times the cost.
    create function search_docs_spelled_like(in_environment text, asked text, at_most integer)
      returns setof bigint language sql stable rows 50
      set enable_seqscan = off
      set pg_trgm.word_similarity_threshold = 0.55
      as $$
        select listing_id from search_docs
        where environment = in_environment and asked <% spelling
        limit at_most
      $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function search_docs_spelled_like; drop table search_docs');
}
