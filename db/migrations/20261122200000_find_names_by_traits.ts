import type { Knex } from 'knex';

const ENVIRONMENTS = ['SANDBOX', 'LIVE'] as const;

/**
 * Lets search find names by what they are like: suffix, length, and of how many words. Documents of an older
 * version have none of it until `search:rebuild` has written them again; until then they are found by words only.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- length counts the label's characters as they are written; shape is 1 for a word, 2 for a made-up name, 3 for
    -- two words, 4 for all else.
    alter table search_documents
      add column tld text collate "C",
      add column length smallint,
      add column shape smallint check (shape between 1 and 4);

    -- The best names of a shape and length, with and without a suffix. Many rows share a key, so both are small.
    create index search_documents_traits on search_documents (shape, length, quality desc);
    create index search_documents_traits_of_tld on search_documents (tld, shape, length, quality desc);
  `);
  for (const environment of ENVIRONMENTS) {
    await knex.raw(candidatesFunction(environment) + bestNamesFunction(environment));
  }
}

const COLUMNS = `d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape`;
const RESULT = `table (listing_id bigint, label text, label_words text, tags text, about text,
  quality smallint, shape smallint)`;
/**
 * What of a filter the index knows; the listing itself is asked for the rest, and again for this. Written so that
 * no index fits it: the planner takes every bound for a narrow one, and would read the traits of a million names to
 * compare them with the few that a step has found.
 */
const FITS = `coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns)`;
/** The first names in the order of the alphabet, so that no more are read for a beginning that many share. */
const beginningWith = (name: string, limit: number) => `(
    select * from ${name}
    where label >= in_prefix and label < in_prefix || U&'\\+10FFFF'
    order by label limit ${limit}
  )`;
const SETTINGS = `set enable_seqscan = off
  set plan_cache_mode = force_generic_plan
  set pg_trgm.similarity_threshold = 0.45`;

/**
 * As the function of the same name with fewer parameters, which the version before calls, but names that the filter
 * excludes are passed over, so that they use up no limit.
 */
function candidatesFunction(environment: string): string {
  const name = `search_documents_${environment.toLowerCase()}`;
  return `
    -- Goes through the ways of finding from the surest to the widest, and stops when it has enough. The groups
    -- of a step are terms between spaces; a name has to have one of each group.
    create function search_candidates_${environment.toLowerCase()}(
      in_labels text[], in_prefix text, in_spellings text[],
      in_firsts text[], in_seconds text[], in_thirds text[], in_limits integer[], in_enough integer,
      in_excluded_tlds text[], in_min_length integer, in_max_length integer, in_patterns text[]
    ) returns ${RESULT}
      language plpgsql stable rows 200
      ${SETTINGS}
      as $$
        #variable_conflict use_column
        declare
          found_now integer;
          found_all integer := 0;
        begin
          return query select ${COLUMNS} from ${name} d
            where d.label = any (in_labels) and ${FITS} limit 60;
          get diagnostics found_now = row_count;
          found_all := found_all + found_now;
          if in_prefix is not null then
            return query select ${COLUMNS} from ${beginningWith(name, 300)} d
              where ${FITS} limit 30;
            get diagnostics found_now = row_count;
            found_all := found_all + found_now;
          end if;
          for step in 1 .. cardinality(in_firsts) loop
            if in_seconds[step] = '' then
              return query select ${COLUMNS} from ${name} d
                where d.terms && string_to_array(in_firsts[step], ' ') and ${FITS}
                limit in_limits[step];
            elsif in_thirds[step] = '' then
              return query select ${COLUMNS} from ${name} d
                where d.terms && string_to_array(in_firsts[step], ' ')
                  and d.terms && string_to_array(in_seconds[step], ' ') and ${FITS}
                limit in_limits[step];
            else
              return query select ${COLUMNS} from ${name} d
                where d.terms && string_to_array(in_firsts[step], ' ')
                  and d.terms && string_to_array(in_seconds[step], ' ')
                  and d.terms && string_to_array(in_thirds[step], ' ') and ${FITS}
                limit in_limits[step];
            end if;
            get diagnostics found_now = row_count;
            found_all := found_all + found_now;
            exit when found_all >= in_enough;
          end loop;
          for spelling in 1 .. cardinality(in_spellings) loop
            return query select ${COLUMNS} from ${name} d
              where d.made_up and d.label % in_spellings[spelling] and ${FITS} limit 60;
          end loop;
        end
      $$;
  `;
}

function bestNamesFunction(environment: string): string {
  const name = `search_documents_${environment.toLowerCase()}`;
  const listed = `l.environment = '${environment}' and l.status = 'listed'
    and l.price_cents between in_min_price and in_max_price`;
  const cells = (tlds: string, ofTld: string) => `
    return query select ${COLUMNS}
      from unnest(in_shapes) as s(shape)
      cross join unnest(in_lengths) as n(length)
      ${tlds}
      cross join lateral (
        select c.* from (
          select * from ${name} best
          where ${ofTld} best.shape = s.shape and best.length = n.length
          order by best.quality desc limit in_scanned
        ) c
        join listings l on l.id = c.listing_id and ${listed}
        where c.tld <> all (in_excluded_tlds) and c.label like all (in_patterns)
        limit in_taken
      ) d;`;
  const byPrice = (direction: 'asc' | 'desc', from: string, ofTld: string) => `
    return query select ${COLUMNS}
      from (
        select l.id from ${from} (
          select l.id from listings l where ${listed} ${ofTld}
          order by l.price_cents ${direction}, l.id ${direction} limit in_priced
        ) l
      ) p
      join ${name} d on d.environment = '${environment}' and d.listing_id = p.id
      where ${FITS};`;
  const ofTlds = ['unnest(in_tlds) as t(tld) cross join lateral', 'and l.tld = t.tld'] as const;
  return `
    -- Names by what they are like, for a search without a topic: the best of each wanted shape and length, the
    -- cheapest or dearest where the price is bounded, and those that have the asked-for letters. Each way reads a
    -- bounded number of rows.
    create function search_best_names_${environment.toLowerCase()}(
      in_tlds text[], in_excluded_tlds text[], in_shapes smallint[], in_lengths smallint[],
      in_min_length integer, in_max_length integer, in_patterns text[],
      in_min_price bigint, in_max_price bigint, in_scanned integer, in_taken integer,
      in_priced integer, in_dearest boolean, in_prefix text, in_terms text[], in_inside text[]
    ) returns ${RESULT}
      language plpgsql stable rows 500
      ${SETTINGS}
      -- A few rows are looked up one by one, in the order in which they were found.
      set enable_hashjoin = off
      set enable_mergejoin = off
      set enable_sort = off
      as $$
        #variable_conflict use_column
        begin
          if in_tlds is null then
            ${cells('', '')}
          else
            ${cells('cross join unnest(in_tlds) as t(tld)', 'best.tld = t.tld and')}
          end if;
          if in_priced > 0 then
            if in_tlds is null then
              if in_dearest then ${byPrice('desc', '', '')} else ${byPrice('asc', '', '')} end if;
            else
              if in_dearest then ${byPrice('desc', ...ofTlds)} else ${byPrice('asc', ...ofTlds)} end if;
            end if;
          end if;
          if in_prefix is not null then
            return query select ${COLUMNS} from ${beginningWith(name, 1_000)} d
              where ${FITS} limit 300;
          end if;
          if cardinality(in_terms) > 0 then
            return query select ${COLUMNS} from ${name} d
              where d.terms && in_terms and ${FITS} limit 200;
          end if;
          for pattern in 1 .. cardinality(in_inside) loop
            return query select ${COLUMNS} from ${name} d
              where d.made_up and d.label like in_inside[pattern] and ${FITS} limit 200;
          end loop;
        end
      $$;
  `;
}

export async function down(knex: Knex): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    const each = environment.toLowerCase();
    await knex.raw(`
      drop function search_best_names_${each};
      drop function search_candidates_${each} (text[], text, text[], text[], text[], text[], integer[], integer,
        text[], integer, integer, text[]);
    `);
  }
  await knex.raw(
    'alter table search_documents drop column shape, drop column length, drop column tld',
  );
}
