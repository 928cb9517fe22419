import type { Knex } from 'knex';

/**
 * The PDF of a document, from the first time that somebody wanted it: whoever asks later gets the same bytes, also
 * of a version that would set it otherwise.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table document_files (
      document_id text primary key references documents,
      pdf bytea not null,
      rendered_at timestamptz not null
    );
    -- It is compressed already.
    alter table document_files alter column pdf set storage external;
    create trigger document_files_are_final before update or delete or truncate on document_files
      for each statement execute function documents_are_final();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table document_files;');
}
