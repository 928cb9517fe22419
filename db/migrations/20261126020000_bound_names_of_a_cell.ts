import type { Knex } from 'knex';

export const config = { transaction: false };

const ENVIRONMENTS = ['sandbox', 'live'] as const;
const INDEX = 'search_documents_nearest';
const COLUMNS = '(cell, quality desc) include (signature, listing_id)';

/**
 * A search by meaning compares the best names of a cell and no more than it says: where an inventory speaks of few
 * things, a cell has tens of thousands. The function with fewer parameters stays for the version before, and finds its
 * way by the new index, too.
 */
export async function up(knex: Knex): Promise<void> {
  const briefly = async (statement: string) => {
    await knex.raw(`set lock_timeout = '250ms'`);
    await knex.raw(statement);
  };
  await briefly(`create index if not exists ${INDEX} on only search_documents ${COLUMNS}`);
  const { rows: attached } = await knex.raw(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${INDEX}'::regclass`,
  );
  const done = new Set(attached.map(({ name }: { name: string }) => name));
  for (const environment of ENVIRONMENTS) {
    const name = `search_documents_${environment}_nearest`;
    if (!done.has(name)) {
      await knex.raw('set lock_timeout = 0');
      await knex.raw(`drop index concurrently if exists ${name}`);
      await knex.raw(
        `create index concurrently ${name} on search_documents_${environment} ${COLUMNS}`,
      );
      await briefly(`alter index ${INDEX} attach partition ${name}`);
    }
    await knex.raw(nearestFunction(environment));
  }
  await briefly('drop index if exists search_documents_meaning');
}

/** The names of `in_cells` whose bits differ least from `in_signature`, of the best of each cell. */
function nearestFunction(environment: (typeof ENVIRONMENTS)[number]): string {
  const name = `search_documents_${environment}`;
  return `
    create or replace function search_nearest_${environment}(
      in_cells smallint[], in_signature text, in_limit integer, in_of_cell integer, in_of_cells integer
    ) returns table (listing_id bigint, label text, label_words text, tags text, about text,
        quality smallint, shape smallint)
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
              select n.listing_id from (
                select best.* from unnest(in_cells) as c(cell)
                cross join lateral (
                  select m.listing_id, m.signature from ${name} m where m.cell = c.cell
                  order by m.quality desc limit in_of_cell
                ) best
                limit in_of_cells
              ) n
              order by bit_count(n.signature # wanted) limit in_limit
            ) near
            join ${name} d
              on d.environment = '${environment.toUpperCase()}' and d.listing_id = near.listing_id;
        end
      $$`;
}

export async function down(knex: Knex): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    await knex.raw(
      `drop function search_nearest_${environment} (smallint[], text, integer, integer, integer)`,
    );
  }
  await knex.raw(
    `create index search_documents_meaning on search_documents (cell) include (signature, listing_id)`,
  );
  await knex.raw(`drop index ${INDEX}`);
}
