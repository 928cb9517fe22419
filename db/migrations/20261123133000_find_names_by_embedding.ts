import type { Knex } from 'knex';

/**
 * Lets search find names by the vectors of an embedding model. The job `refresh-embeddings` fills the new columns; until
 * then vectors only help to order what was found.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- How the space of a model is divided: each cell is what is nearest to one of these vectors.
    create table embedding_cells (
      model text primary key,
      -- Another one whenever the cells are drawn anew.
      id integer generated always as identity unique,
      -- How many vectors there were when they were drawn.
      drawn_of bigint not null,
      -- Little-endian floats, one vector after the other.
      middles bytea not null
    );
    alter table embedding_cells alter column middles set storage external;

    alter table listing_embeddings
      add column environment text,
      -- The id of the cells times 1,024, plus the number of the cell.
      add column cell integer,
      -- The signs of the vector's first numbers.
      add column signature bit varying(512);

    -- The nearest names of a cell are found in the index alone.
    create index listing_embeddings_cell on listing_embeddings (environment, cell)
      include (signature, listing_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table listing_embeddings drop column environment, drop column cell, drop column signature;
    drop table embedding_cells;
  `);
}
