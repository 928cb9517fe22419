import type { Knex } from 'knex';

/** Bulk operations: a row a job, and a row a domain of it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table bulk_jobs (
      id text collate "C" primary key,
      user_id text collate "C" not null references users (id),
      op text not null,
      params jsonb not null,
      dry_run boolean not null,
      status text not null
        check (status in ('queued', 'running', 'completed', 'completed_with_errors', 'cancelled')),
      total integer not null check (total > 0),
      succeeded integer not null default 0,
      failed integer not null default 0,
      cancelled integer not null default 0,
      created_at timestamptz not null,
      finished_at timestamptz,
      constraint bulk_jobs_counts check (least(succeeded, failed, cancelled) >= 0
        and succeeded + failed + cancelled <= total),
      constraint bulk_jobs_end check ((finished_at is not null) = (succeeded + failed + cancelled = total))
    );
    create index bulk_jobs_by_end on bulk_jobs (finished_at) where finished_at is not null;

    -- started: a worker has taken it, and the registrar may know of it.
    create table bulk_items (
      job_id text collate "C" not null references bulk_jobs (id) on delete cascade,
      position integer not null,
      domain text not null,
      state text not null default 'pending'
        check (state in ('pending', 'started', 'ok', 'error', 'cancelled')),
      code text,
      message text,
      primary key (job_id, position)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table bulk_items, bulk_jobs');
}
