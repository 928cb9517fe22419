import type { Knex } from 'knex';

/** Vectors of listed domains, for the optional model behind search; empty where none is configured. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table listing_embeddings (
      listing_id bigint primary key references listings (id) on delete cascade,
      model text not null,
      -- SHA-256 of the text that the model was given.
      text_hash bytea not null check (octet_length(text_hash) = 32),
      -- Little-endian floats, of length 1.
      vector bytea not null check (octet_length(vector) between 4 and 32768),
      -- Of the listing when it was read: any later change makes it look again.
      listing_updated_at timestamptz not null
    );
    -- Floats do not compress.
    alter table listing_embeddings alter column vector set storage external;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table listing_embeddings');
}
