import type { Knex } from 'knex';

/** No transaction, so that only one table is locked at a time. */
export const config = { transaction: false };

/** Stores vectors as bytes; search documents no longer hold their place in the vector index. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('truncate listing_embeddings, embedding_cells');
  await knex.raw(`alter table listing_embeddings
    drop constraint listing_embeddings_vector_check,
    add constraint listing_embeddings_vector_check check (octet_length(vector) between 1 and 8192)`);
  for (const environment of ['live', 'sandbox']) {
    await knex.raw(
      `drop function if exists search_nearest_${environment}(smallint[], text, integer, integer, integer)`,
    );
  }
  await knex.raw('drop index if exists search_documents_nearest');
  await knex.raw(
    'alter table search_documents drop column if exists cell, drop column if exists signature',
  );
}

/** The embeddings job computes the vectors again. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('truncate listing_embeddings, embedding_cells');
  await knex.raw(
    'alter table search_documents add column cell smallint, add column signature bit varying',
  );
}
