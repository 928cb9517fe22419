import type { Knex } from 'knex';

const ENVIRONMENTS = ['SANDBOX', 'LIVE'] as const;

/**
 * Lets search find names by what they mean. `search:rebuild` fills the new columns; until then names are found by
 * words only.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Where a name lies in the space of meanings: the cell that it is in, and the signs of its vector's numbers.
    alter table search_documents
      add column cell smallint,
      add column signature bit varying(100);

    -- The nearest names of a cell are found in the index alone.
    create index search_documents_meaning on search_documents (cell) include (signature, listing_id);
  `);
  for (const environment of ENVIRONMENTS) {
    const name = environment.toLowerCase();
    await knex.raw(`
      -- The names of these cells whose bits differ least from in_signature.
      create function search_nearest_${name}(in_cells smallint[], in_signature text, in_limit integer)
        returns table (listing_id bigint, label text, label_words text, tags text, about text, quality smallint,
          shape smallint)
        language plpgsql stable rows 80
        set enable_seqscan = off
        set plan_cache_mode = force_generic_plan
        as $$
          #variable_conflict use_column
          declare
            wanted bit varying := in_signature;
          begin
            if wanted is null then return; end if;
            return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape
              from (
                select n.listing_id from search_documents_${name} n where n.cell = any (in_cells)
                order by bit_count(n.signature # wanted) limit in_limit
              ) near
              join search_documents_${name} d
                on d.environment = '${environment}' and d.listing_id = near.listing_id;
          end
        $$;
    `);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    await knex.raw(`drop function search_nearest_${environment.toLowerCase()}`);
  }
  await knex.raw(`alter table search_documents drop column cell, drop column signature`);
}
