import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table listing_imports (
      id bigint generated always as identity primary key,
      environment text not null check (environment in ('SANDBOX', 'LIVE')),
      actor text not null,
      file_name text not null,
      format text not null check (format in ('csv', 'ndjson')),
      content text,
      lines integer not null,
      line integer default 0 not null,
      inserted integer default 0 not null,
      updated integer default 0 not null,
      unchanged integer default 0 not null,
      rejected integer default 0 not null,
      rejections jsonb default '[]' not null,
      state text default 'queued' not null check (state in ('queued', 'running', 'completed', 'failed')),
      problem text,
      created_at timestamptz not null,
      finished_at timestamptz,
      check ((finished_at is null) = (content is not null))
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table listing_imports');
}
