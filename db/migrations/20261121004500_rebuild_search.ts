import type { Knex } from 'knex';

const ENVIRONMENTS = ['SANDBOX', 'LIVE'] as const;

/**
 * The index of search: one row per listed domain with the terms by which it is found, gone when the domain is
 * sold or delisted. Partitioned by environment, so that the small one never pays for the large one. Filled by
 * the listing commands, and for what is listed already by `search:rebuild`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function search_docs_spelled_like;
    drop table search_docs;

    -- label has letters and digits only; label_words is the same label cut into words; tags are the stems of
    -- keywords and category, about those of the description. All are lower case and without accents.
    create table search_documents (
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      listing_id bigint not null references listings (id) on delete cascade,
      version smallint not null,
      quality smallint not null check (quality between 0 and 100),
      made_up boolean not null,
      label text collate "C" not null,
      label_words text not null,
      tags text not null,
      about text not null,
      terms text[] not null,
      primary key (environment, listing_id)
    ) partition by list (environment);

    create index search_documents_label on search_documents (label);
    -- No pending list: a search right after an import would have to read all of it.
    create index search_documents_terms on search_documents using gin (terms)
      with (fastupdate = off);
    -- Only names that are no words are looked for by their spelling: others are found by repaired words.
    create index search_documents_spelling on search_documents using gin (label gin_trgm_ops)
      with (fastupdate = off) where made_up;
  `);
  for (const environment of ENVIRONMENTS) await knex.raw(partition(environment));
}

function partition(environment: string): string {
  const name = `search_documents_${environment.toLowerCase()}`;
  const columns = `d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality`;
  // The planner can't know how rare a term of a parameter is, and would read a small partition from end to end,
  // or a large one along its key: only the indexes over terms and labels bound what a search costs.
  return `
    create table ${name} partition of search_documents for values in ('${environment}');
    -- How often the commoner terms occur is read from these statistics.
    alter table ${name} alter column terms set statistics 500;

    -- Goes through the ways of finding from the surest to the widest, and stops when it has enough. The groups
    -- of a step are terms between spaces; a name has to have one of each group.
    create function search_candidates_${environment.toLowerCase()}(
      in_labels text[], in_prefix text, in_spellings text[],
      in_firsts text[], in_seconds text[], in_thirds text[], in_limits integer[], in_enough integer
    ) returns table (listing_id bigint, label text, label_words text, tags text, about text, quality smallint)
      language plpgsql stable rows 200
      set enable_seqscan = off
      set plan_cache_mode = force_generic_plan
      set pg_trgm.similarity_threshold = 0.45
      as $$
        #variable_conflict use_column
        declare
          found_now integer;
          found_all integer := 0;
        begin
          return query select ${columns} from ${name} d where d.label = any (in_labels) limit 60;
          get diagnostics found_now = row_count;
          found_all := found_all + found_now;
          if in_prefix is not null then
            return query select ${columns} from ${name} d
              where d.label >= in_prefix and d.label < in_prefix || U&'\\+10FFFF'
              order by d.label limit 30;
            get diagnostics found_now = row_count;
            found_all := found_all + found_now;
          end if;
          for step in 1 .. cardinality(in_firsts) loop
            if in_seconds[step] = '' then
              return query select ${columns} from ${name} d
                where d.terms && string_to_array(in_firsts[step], ' ') limit in_limits[step];
            elsif in_thirds[step] = '' then
              return query select ${columns} from ${name} d
                where d.terms && string_to_array(in_firsts[step], ' ')
                  and d.terms && string_to_array(in_seconds[step], ' ') limit in_limits[step];
            else
              return query select ${columns} from ${name} d
                where d.terms && string_to_array(in_firsts[step], ' ')
                  and d.terms && string_to_array(in_seconds[step], ' ')
                  and d.terms && string_to_array(in_thirds[step], ' ') limit in_limits[step];
            end if;
            get diagnostics found_now = row_count;
            found_all := found_all + found_now;
            exit when found_all >= in_enough;
          end loop;
          for spelling in 1 .. cardinality(in_spellings) loop
            return query select ${columns} from ${name} d
              where d.made_up and d.label % in_spellings[spelling] limit 60;
          end loop;
        end
      $$;
  `;
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function search_candidates_sandbox;
    drop function search_candidates_live;
    drop table search_documents;

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
    create index search_docs_terms on search_docs using gin (terms) with (fastupdate = off);
    create index search_docs_spelling on search_docs using gin (spelling gin_trgm_ops)
      with (fastupdate = off);
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
