import type { Knex } from 'knex';

/** One table is locked at a time. */
export const config = { transaction: false };

/** Vectors are kept as bytes, and the place of a name is that of its vector alone. */
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

/** Vectors are made anew by the job that keeps them. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('truncate listing_embeddings, embedding_cells');
  await knex.raw(
    'alter table search_documents add column cell smallint, add column signature bit varying',
  );
}
